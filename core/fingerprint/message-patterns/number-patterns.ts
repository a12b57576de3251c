import { DIGITS, type MessagePattern } from './message-pattern.js';
import { NUMBER, SIGN } from './number-source.js';

/** Numbers and identifiers. They share `<n>`: a random identifier in hexadecimal has no letter now and then. */
export const NUMBER_PATTERNS: readonly MessagePattern[] = [
  {
    name: 'uuid',
    until: 1,
    starts: ['word', 'number'],
    pattern: /[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}(?!\w)/,
    becomes: '<n>',
    reason: 'An identifier.',
    examples: [['order 0190a7f3-5b1e-7c1a-9c39-2f6f4a0f0c11 lost', 'order <n> lost']],
  },
  {
    name: 'size',
    until: 1,
    starts: ['number'],
    pattern:
      /\d+(?:[.,]\d+){0,6} ?(?:[KMGTPkmgtp]i?[Bb]|[Bb]ytes?|[Kk]ilobytes?|[Mm]egabytes?|[Gg]igabytes?|[BKMGT])(?!\w|-\w)/,
    becomes: '<size>',
    reason: 'An amount of data, in whatever unit.',
    examples: [
      ['body of 12.5 MB refused', 'body of <size> refused'],
      ['body of 1,024 bytes refused', 'body of <size> refused'],
    ],
  },
  {
    name: 'list_with_colons',
    group: 'identifier',
    starts: ['number'],
    holds: 'colon',
    pattern: /[0-9A-Fa-f]+(?::[0-9A-Fa-f]+){1,7}(?:\.\d+)?(?![\w:])/,
    becomes: '<n>',
    reason: 'Bus addresses and counters joined by colons.',
    examples: [['device 0000:00:1e.0 is gone', 'device <n> is gone']],
  },
  {
    name: 'number',
    until: 1,
    first: `${DIGITS}.-+`,
    second: DIGITS,
    starts: ['number', 'mark'],
    pattern:
      /(?:(?<![\w)\]])[-+]|(?<![\w.])\.(?=\d))?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w$]|\.\w|-\w)/,
    becomes: '<n>',
    reason: 'Counts, amounts and identifiers.',
    examples: [
      ['Value -1,142.11 is out of [0.5, 1e-9]', 'Value <n> is out of [<n>]'],
      ['retry 3/5 at 99%', 'retry <n>/<n> at <n>%'],
    ],
  },
  {
    name: 'counted',
    group: 'number',
    since: 2,
    starts: ['number', 'mark'],
    first: `${DIGITS}.-+`,
    second: DIGITS,
    pattern: new RegExp(`(?:${SIGN}|(?<![\\w.])\\.(?=\\d))${NUMBER}(?![\\w$]|\\.\\w|-\\w)`),
    becomes: '<n>',
    isCount: true,
    reason:
      'Counts, amounts and identifiers. The noun behind a number loses its plural, so that one error and two errors read the same.',
    examples: [
      ['Value -1,142.11 is out of [0.5, 1e-9]', 'Value <n> is out of [<n>]'],
      ['found 1.234,5 of 1 234 567', 'found <n> of <n>'],
      ['retry 3/5 found 2 errors', 'retry <n>/<n> found <n> error'],
      ['retry 3/5 found 1 error', 'retry <n>/<n> found <n> error'],
    ],
  },
  {
    name: 'base64',
    until: 1,
    starts: ['word', 'number'],
    holds: 'digit',
    pattern: /(?=[A-Za-z+/]{0,40}\d)[A-Za-z0-9+/]{24,}={0,2}(?![\w+/=])/,
    becomes: '<n>',
    reason: 'Encoded bytes.',
    examples: [['key QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0+w== refused', 'key <n> refused']],
  },
  {
    name: 'identifier',
    starts: ['word', 'number'],
    holds: 'digit',
    pattern: /(?=[A-Za-z_$.-]{0,120}\d)[\w$]+(?:[.-]{1,2}[\w$]+)*/,
    becomes: '<n>',
    reason: 'A word with a digit in it: hash, address, token, version, serial number, name with a number.',
    examples: [
      ['block blk_-8873 of user42 at 0x7ffe is gone', 'block <n> of <n> at <n> is gone'],
      ['token eyJhbGciOi.eyJzdWIiOjF9.c2ln_1 expired', 'token <n> expired'],
    ],
  },
  {
    name: 'masked',
    first: '*',
    second: '*',
    starts: ['mark'],
    pattern: /(?<![\w*])\*{3,12}(?![\w*])/,
    becomes: '<n>',
    reason: 'A value that somebody hid.',
    examples: [['card **** of 9 refused', 'card <n> of <n> refused']],
  },
];
