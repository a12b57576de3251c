import { DIGITS, type MessagePattern } from './message-pattern.js';

const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}';
const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6}';
const CLOCK = '\\d{1,2}:\\d\\d(?::\\d\\d(?:[.,]\\d{1,9})?)?(?: ?[AaPp][Mm])?';
const ZONE = '(?: ?(?:Z|UTC|GMT|[A-Z]{2,4}T|[+-]\\d\\d:?\\d\\d))?';
const END = '(?![\\w-])';
const UNIT =
  '(?:ns|us|µs|μs|ms|s|m|h|d|nanos(?:econds?)?|micros(?:econds?)?|millis(?:econds?)?|msecs?|secs?|seconds?|mins?|minutes?|hrs?|hours?|days?|weeks?|months?|years?)';

/** Instants and spans. All become `<time>`: one slot may hold 0:05 today and 900ms tomorrow. */
export const TIME_PATTERNS: readonly MessagePattern[] = [
  {
    name: 'iso_date_time',
    group: 'date_time',
    until: 1,
    starts: ['number'],
    pattern: new RegExp(`\\d{4}(?:-\\d\\d-\\d\\d|/\\d{1,2}/\\d{1,2})(?:(?:[T_:]| {1,2})${CLOCK}${ZONE})?${END}`),
    becomes: '<time>',
    reason: 'A date differs from day to day.',
    examples: [
      ['no backup since 2026-11-21T10:00:00.123Z', 'no backup since <time>'],
      ['no backup since 2026/11/21 10:00:00,123 +0100', 'no backup since <time>'],
      ['no backup since 2026-11-21', 'no backup since <time>'],
    ],
  },
  {
    name: 'day_first_date_time',
    group: 'date_time',
    until: 1,
    starts: ['number'],
    pattern: new RegExp(
      `(?:\\d{1,2}/\\d{1,2}/\\d{4}|\\d{1,2}[-/ ]${MONTH}[-/ ]\\d{4}|\\d{1,2}\\.\\d{1,2}\\.\\d{4})(?:(?:[:,]? ?)${CLOCK}${ZONE})?${END}`,
    ),
    becomes: '<time>',
    reason: 'The same date as a person or an access log writes it.',
    examples: [
      ['seen [21/Nov/2026:10:00:00 +0000] last', 'seen [<time>] last'],
      ['seen 21 November 2026, 10:00', 'seen <time>'],
      ['seen 11/21/2026 9:05:00 PM', 'seen <time>'],
    ],
  },
  {
    name: 'named_date_time',
    group: 'date_time',
    until: 1,
    first: 'MTWFSJAOND',
    starts: ['word'],
    pattern: new RegExp(
      `(?:${DAY},? )?(?:${MONTH} {1,2}\\d{1,2}(?:,? \\d{4})?|\\d{1,2} ${MONTH} \\d{4})(?:,? ${CLOCK}${ZONE}(?: \\d{4})?)?${END}`,
    ),
    becomes: '<time>',
    reason: 'Dates with the name of a month, as mail, C libraries and syslog write them.',
    examples: [
      ['expired Sat Nov 21 10:00:00 UTC 2026', 'expired <time>'],
      ['expired Sat, 21 Nov 2026 10:00:00 GMT', 'expired <time>'],
      ['expired Nov 21 10:00:00', 'expired <time>'],
      ['Mar gave up on Sunday', 'Mar gave up on Sunday'],
    ],
  },
  {
    name: 'clock',
    group: 'date_time',
    until: 1,
    starts: ['number'],
    pattern: /\d{1,3}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?[AaPp][Mm])?(?![\w-]|:\w|\.\d)/,
    becomes: '<time>',
    reason: 'A time of day, or a span written like one.',
    examples: [['closed, lifetime 00:01', 'closed, lifetime <time>']],
  },
  {
    name: 'span',
    group: 'duration',
    until: 1,
    first: `${DIGITS}-+<>~`,
    second: `${DIGITS}= `,
    starts: ['number', 'mark'],
    pattern: new RegExp(
      `(?:(?<![\\w)\\]])[-+<>~]=? ?)?(?:\\d+(?:[.,]\\d+)? ?${UNIT})(?:[, ]{0,2}(?:and )?\\d+(?:[.,]\\d+)? ?${UNIT}){0,5}(?![\\w%]|-\\w|/\\w)`,
    ),
    becomes: '<time>',
    reason: 'A number with a unit of time, joined or apart.',
    examples: [
      ['timeout of 5000ms exceeded', 'timeout of <time> exceeded'],
      ['gave up after 1m30.5s', 'gave up after <time>'],
      ['gave up after 2 hours, 1 minute', 'gave up after <time>'],
      ['lifetime <1 sec', 'lifetime <time>'],
    ],
  },
  {
    name: 'iso_duration',
    group: 'duration',
    first: 'P',
    starts: ['word'],
    holds: 'digit',
    pattern: /P(?:\d{1,5}[YMWD]){0,4}(?:T(?:\d{1,9}(?:\.\d{1,9})?[HMS]){1,3})?(?<=\d[YMWDHS])(?!\w)/,
    becomes: '<time>',
    reason: 'A span as ISO 8601 writes it.',
    examples: [['lock held for PT1.5S', 'lock held for <time>']],
  },
];
