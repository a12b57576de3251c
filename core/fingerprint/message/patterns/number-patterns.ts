import { DIGITS, type MessagePattern } from './message-pattern.js';

/** Numbers with thousands and decimal separators of any country: `1,234.5`, `1.234,5`, `1 234,5`, `1'234.5`. */
export const NUMBER =
  "\\d+(?:(?:[.,']\\d+){1,6}|(?<=(?<![\\w.])\\d{1,3})(?: \\d{3})+(?!\\d)(?:,\\d+)?)?(?:[eE][-+]?\\d+)?";

/** A sign that belongs to the number after it. */
export const SIGN = '(?:(?<![\\w)\\]])[-+\\u2212])?';

/** The most frequent values, tried early for speed only: later rows would give the same result. */
export const COMMON_PATTERNS: readonly MessagePattern[] = [
  {
    name: 'plain_count',
    group: 'number',
    starts: ['number'],
    pattern: /\d{1,20}(?=[)\]};|]|[,.]?(?:$| (?![A-Za-dghkmnpsuwyµμ\d%€£¥₹$°])))/,
    becomes: '<n>',
    reason: 'A number that is not followed by a unit or the rest of a date or number.',
  },
  {
    name: 'numbered_word',
    group: 'identifier',
    starts: ['word'],
    holds: 'digit',
    pattern: /[A-Za-z]{1,40}[-_]?\d{1,20}(?=[)\]};|,]|$| )/,
    becomes: '<n>',
    reason: 'A word that ends in a number.',
  },
];

/** Numbers and identifiers. Both become `<n>`, because a random hexadecimal identifier may have no letter. */
export const NUMBER_PATTERNS: readonly MessagePattern[] = [
  {
    name: 'list_with_colons',
    group: 'identifier',
    starts: ['number'],
    holds: 'colon',
    pattern: /[0-9A-Fa-f]+(?::[0-9A-Fa-f]+){1,7}(?:\.\d+)?(?![\w:])/,
    becomes: '<n>',
    reason: 'Bus addresses and counters joined by colons.',
  },
  {
    name: 'counted',
    group: 'number',
    starts: ['number', 'mark'],
    first: `${DIGITS}.-+`,
    second: DIGITS,
    pattern: new RegExp(`(?:${SIGN}|(?<![\\w.])\\.(?=\\d))${NUMBER}(?![\\w$]|\\.\\w|-\\w)`),
    becomes: '<n>',
    reason: 'Counts, amounts and identifiers.',
  },
  {
    name: 'identifier',
    starts: ['word', 'number'],
    holds: 'digit',
    pattern: /(?=[A-Za-z_$.-]{0,120}\d)[\w$]+(?:[.-]{1,2}[\w$]+)*/,
    becomes: '<n>',
    reason: 'A word with a digit: hash, address, token, version, serial number, numbered name.',
  },
  {
    name: 'masked',
    first: '*',
    second: '*',
    starts: ['mark'],
    pattern: /(?<![\w*])\*{3,12}(?![\w*])/,
    becomes: '<n>',
    reason: 'A masked value.',
  },
];
