import type { MessagePattern } from './message-pattern.js';

const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}';
const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6}';
const DATE = '\\d{1,2}(?:st|nd|rd|th)?';
const HALF = ' ?[AaPp](?:[Mm]|\\.[Mm]\\.)(?!\\w)';
const CLOCK = `\\d{1,2}:\\d\\d(?::\\d\\d(?:[.,]\\d{1,9})?)?(?:${HALF})?`;
const OFFSET = '[+\\u2212-]\\d\\d?(?::?\\d\\d)?';
const PLACE = '(?: \\([A-Z][A-Za-z .-]{1,50}\\))?(?:\\[[A-Z][A-Za-z_]{1,30}(?:/[A-Za-z_+-]{1,30}){1,2}\\])?';
const ZONE = `(?: ?(?:Z|(?:UTC|GMT)(?:${OFFSET})?|[A-Z]{2,4}T|${OFFSET})(?!\\w))?${PLACE}`;
const AT = '(?:,| at)? ';
const DATE_END = '(?![\\w-]|\\.\\d)';

const DATES: readonly Omit<MessagePattern, 'becomes'>[] = [
  {
    name: 'date_time',
    starts: ['number'],
    pattern: new RegExp(
      `\\d{4}(?:(?:-\\d\\d-\\d\\d|/\\d{1,2}/\\d{1,2}|\\.\\d\\d\\.\\d\\d)(?:(?:[T_:]| {1,2})${CLOCK}${ZONE})?|-W\\d\\d(?:-\\d)?|\\d{4}T\\d{4}(?:\\d\\d(?:[.,]\\d{1,9})?)?${ZONE})${DATE_END}`,
    ),
    reason: 'Dates differ between occurrences.',
  },
  {
    name: 'date_time',
    starts: ['number'],
    pattern: new RegExp(
      `(?:\\d{1,2}/\\d{1,2}/(?:\\d{4}|\\d\\d(?=,? \\d{1,2}:\\d\\d))|${DATE}[-/ ](?:of )?${MONTH}(?:[-/ ,]{1,2}\\d{4}(?!\\d))?|\\d{1,2}\\.\\d{1,2}\\.\\d{4}|\\d{1,2}-\\d{1,2}-\\d{4})(?:(?:[:,]|${AT}| ?)${CLOCK}${ZONE})?${DATE_END}`,
    ),
    reason: 'Dates as people and access logs write them.',
  },
  {
    name: 'date_time',
    starts: ['word'],
    pattern: new RegExp(
      `(?:(?:${DAY},? )?(?:${MONTH} {1,2}(?:${DATE}(?:,? \\d{4}(?!\\d))?|\\d{4}(?!\\d))|${DATE} ${MONTH} \\d{4})(?:${AT}${CLOCK}${ZONE}(?: \\d{4}(?!\\d)(?: (?:GMT|UTC))?)?)?|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day(?:${AT}${CLOCK}${ZONE})?)${PLACE}${DATE_END}`,
    ),
    reason:
      'Dates with the name of a month, as mail, C libraries, browsers and syslog write them, and days of the week.',
  },
  {
    name: 'date_time',
    starts: ['number'],
    pattern: new RegExp(
      `(?:\\d{1,3}:\\d\\d(?::\\d\\d(?:[.,]\\d{1,9})?)?(?:${HALF})?|\\d{1,2}${HALF})(?![\\w-]|:\\w|\\.\\d)`,
    ),
    reason: 'A time of day, or a duration written like one.',
  },
  {
    name: 'duration',
    starts: ['word'],
    pattern: /P(?:\d{1,5}[YMWD]){0,4}(?:T(?:\d{1,9}(?:\.\d{1,9})?[HMS]){1,3})?(?<=\d[YMWDHS])(?!\w)/,
    reason: 'A duration of ISO 8601.',
  },
];

/** Dates and times as programs and people write them, and durations of ISO 8601. All become `<time>`: the same position may hold 0:05 once and 900ms later. */
export const DATE_PATTERNS: readonly MessagePattern[] = DATES.map((row) => ({ ...row, becomes: '<time>' }));

/** Numbers with thousands and decimal separators of any country: `1,234.5`, `1.234,5`, `1 234,5`, `1'234.5`. */
const NUMBER = "\\d+(?:(?:[.,']\\d+){1,6}|(?<=(?<![\\w.])\\d{1,3})(?: \\d{3})+(?!\\d)(?:,\\d+)?)?(?:[eE][-+]?\\d+)?";

/** A sign that belongs to the number after it. */
const SIGN = '(?:(?<![\\w)\\]])[-+\\u2212])?';

/** German, French, Spanish, Portuguese, Italian, Russian, Chinese and Japanese. */
const UNIT_ELSEWHERE =
  '(?:Milli)?[Ss]ekunden?|Minuten?|Stunden?|Tagen?|secondes?|heures?|jours?|segundos?|minutos?|horas?|d[ií]as?|second[oi]|minut[oi]|or[ae]|giorn[oi]|секунд[аы]?|минут[аы]?|час(?:а|ов)?|дн(?:я|ей)|день|мин|сек|с(?![а-я])|毫秒|秒|分钟|小时|分|時間|天|日';

/** Five digits and a `d` are hexadecimal, not days. */
const UNIT_OF_TIME = `(?:ns|us|µs|μs|ms|s|m|h|d(?<![\\da-f]{5}d)|nanos(?:econds?)?|micros(?:econds?)?|millis(?:econds?)?|msecs?|secs?|seconds?|mins?|minutes?|hrs?|hours?|days?|weeks?|months?|years?|${UNIT_ELSEWHERE})`;
const UNIT_OF_DATA = '(?:[KMGTPkmgtp]i?[Bb]|[Bb]ytes?|[Kk]ilobytes?|[Mm]egabytes?|[Gg]igabytes?|[Tt]erabytes?|[BKMGT])';
const UNIT =
  '(?:[kKMGT]i?bits?(?:/s)?|[kKMGT]?bps|[kMGT]?Hz|[mkMG](?:W|Wh|V|A|VA)|[kcnµμm]m|[kmµμ]g|° ?[CF]?|px|rpm|dBm?)';
const CURRENCY = '(?:EUR|USD|GBP|JPY|CHF|CNY|INR|SEK|NOK|DKK|PLN|CZK|HUF|AUD|CAD|NZD|BRL|MXN|KRW|TRY|ZAR|SGD|HKD)';
const SIGN_OF_CURRENCY = '[€£¥₹]';
/** No letter or hyphen may follow a unit; a slash only before a plain word, as in `3ms/op`. */
const END = '(?![\\w%]|-\\w|/(?![a-z]{1,12}(?![\\w/.-])))';

/** Numbers with units: the unit changes with the amount. */
export const QUANTITY_PATTERNS: readonly MessagePattern[] = [
  {
    name: 'duration',
    starts: ['number', 'mark'],
    pattern: new RegExp(
      `(?:(?<![\\w)\\]])[-+<>~]=? ?)?${NUMBER} ?${UNIT_OF_TIME}(?:[, ]{0,2}(?:and )?\\d+(?:[.,]\\d+)? ?${UNIT_OF_TIME}){0,5}${END}`,
    ),
    becomes: '<time>',
    reason: 'A number with a unit of time, with or without a space.',
  },
  {
    name: 'size',
    starts: ['number', 'mark'],
    pattern: new RegExp(`${SIGN}${NUMBER} ?${UNIT_OF_DATA}(?!\\w|-\\w)`),
    becomes: '<size>',
    reason: 'An amount of data in any unit.',
  },
  {
    name: 'money',
    starts: ['word', 'number', 'mark'],
    pattern: new RegExp(
      `${SIGN}(?:(?:[A-Z]{1,3}\\$|\\$|${SIGN_OF_CURRENCY}|${CURRENCY}) ?-?${NUMBER}|${NUMBER} ?(?:${SIGN_OF_CURRENCY}|\\$|${CURRENCY})|${CURRENCY}[/-][A-Z]{3,5}|[A-Z]{3,5}[/-]${CURRENCY}|(?<=\\b[Cc]urrency )[A-Z]{3,5})(?![\\w$]|-\\w|\\.\\w)`,
    ),
    becomes: '<n>',
    reason: 'A price with a currency sign or code on either side, and pairs of currencies.',
  },
  {
    name: 'percentage',
    starts: ['number', 'mark'],
    pattern: new RegExp(`${SIGN}${NUMBER} ?%(?!\\w)`),
    becomes: '<n>%',
    reason: 'A percentage, with or without a space before the sign.',
  },
  {
    name: 'quantity',
    starts: ['number', 'mark'],
    pattern: new RegExp(`${SIGN}${NUMBER} ?${UNIT}(?!\\w|-\\w)`),
    becomes: '<n>',
    reason: 'A number with a unit that changes with the amount: rates, frequencies, lengths, weights, degrees.',
  },
];

/** The most frequent values, tried early for speed only: later rows would give the same result. */
export const COMMON_PATTERNS: readonly MessagePattern[] = [
  {
    name: 'number',
    starts: ['number'],
    pattern: /\d{1,20}(?=[)\]};|]|[,.]?(?:$| (?![A-Za-dghkmnpsuwyµμ\d%€£¥₹$°])))/,
    becomes: '<n>',
    reason: 'A number that is not followed by a unit or the rest of a date or number.',
  },
  {
    name: 'identifier',
    starts: ['word'],
    pattern: /[A-Za-z]{1,40}[-_]?\d{1,20}(?=[)\]};|,]|$| )(?<!\b[Pp]ods? [\w-]{1,61})/,
    becomes: '<n>',
    reason: 'A word that ends in a number, unless it is a pod, of which the set stays.',
  },
];

const NUMBERS: readonly Omit<MessagePattern, 'becomes'>[] = [
  {
    name: 'identifier',
    starts: ['number'],
    pattern: /[0-9A-Fa-f]+(?::[0-9A-Fa-f]+){1,7}(?:\.\d+)?(?![\w:])/,
    reason: 'Bus addresses and counters joined by colons.',
  },
  {
    name: 'number',
    starts: ['number', 'mark'],
    pattern: new RegExp(`(?:${SIGN}|(?<![\\w.])\\.(?=\\d))${NUMBER}(?![\\w$]|\\.\\w|-\\w)`),
    reason: 'Counts, amounts and identifiers.',
  },
  {
    name: 'identifier',
    starts: ['word', 'number'],
    pattern: /(?=[A-Za-z_$.-]{0,120}\d)[\w$]+(?:[.-]{1,2}[\w$]+)*/,
    reason: 'A word with a digit: hash, address, token, version, serial number, numbered name.',
  },
  {
    name: 'masked',
    starts: ['mark'],
    pattern: /(?<![\w*])\*{3,12}(?![\w*])/,
    reason: 'A masked value.',
  },
];

/** Numbers and identifiers. Both become `<n>`, because a random hexadecimal identifier may have no letter. */
export const NUMBER_PATTERNS: readonly MessagePattern[] = NUMBERS.map((row) => ({ ...row, becomes: '<n>' }));
