import { DIGITS, type MessagePattern } from './message-pattern.js';

/** Digits with separators of thousands and of decimals as any country writes them: `1,234.5`, `1.234,5`, `1 234,5`, `1'234.5`. */
export const NUMBER =
  "\\d+(?:(?:[.,']\\d+){1,6}|(?<=(?<![\\w.])\\d{1,3})(?: \\d{3})+(?!\\d)(?:,\\d+)?)?(?:[eE][-+]?\\d+)?";

/** A sign that belongs to the number behind it. */
export const SIGN = '(?:(?<![\\w)\\]])[-+\\u2212])?';

/** Numbers and identifiers. They share `<n>`: a random identifier in hexadecimal has no letter now and then. */
export const NUMBER_PATTERNS: readonly MessagePattern[] = [
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
    name: 'counted',
    group: 'number',
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
