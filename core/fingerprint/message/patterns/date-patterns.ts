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
const END = '(?![\\w-])';

const DATES: readonly Omit<MessagePattern, 'becomes'>[] = [
  {
    name: 'date_time',
    starts: ['number'],
    pattern: new RegExp(
      `\\d{4}(?:(?:-\\d\\d-\\d\\d|/\\d{1,2}/\\d{1,2}|\\.\\d\\d\\.\\d\\d)(?:(?:[T_:]| {1,2})${CLOCK}${ZONE})?|-W\\d\\d(?:-\\d)?|\\d{4}T\\d{4}(?:\\d\\d(?:[.,]\\d{1,9})?)?${ZONE})${END}`,
    ),
    reason: 'Dates differ between occurrences.',
  },
  {
    name: 'date_time',
    starts: ['number'],
    pattern: new RegExp(
      `(?:\\d{1,2}/\\d{1,2}/(?:\\d{4}|\\d\\d(?=,? \\d{1,2}:\\d\\d))|${DATE}[-/ ](?:of )?${MONTH}(?:[-/ ,]{1,2}\\d{4}(?!\\d))?|\\d{1,2}\\.\\d{1,2}\\.\\d{4}|\\d{1,2}-\\d{1,2}-\\d{4})(?:(?:[:,]|${AT}| ?)${CLOCK}${ZONE})?${END}`,
    ),
    reason: 'Dates as people and access logs write them.',
  },
  {
    name: 'date_time',
    starts: ['word'],
    pattern: new RegExp(
      `(?:(?:${DAY},? )?(?:${MONTH} {1,2}(?:${DATE}(?:,? \\d{4}(?!\\d))?|\\d{4}(?!\\d))|${DATE} ${MONTH} \\d{4})(?:${AT}${CLOCK}${ZONE}(?: \\d{4}(?!\\d))?)?|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day(?:${AT}${CLOCK}${ZONE})?)${PLACE}${END}`,
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
