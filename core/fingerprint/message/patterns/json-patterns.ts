import { FAILURE_KEY } from './key-value-patterns.js';
import { DIGITS, KEEP, type MessagePattern } from './message-pattern.js';

const KEY = '[A-Za-z_$@][\\w$.@ -]{0,63}';
const STRING = `"(?:[^"\\\\]|\\\\.){0,1000}(?:"|$)|'[^']{0,1000}(?:'|$)`;

/** Fragments of JSON and similar notations, also truncated ones. */
export const JSON_PATTERNS: readonly MessagePattern[] = [
  {
    name: 'key_of_object',
    group: 'json_key',
    starts: ['quote'],
    first: `"'`,
    pattern: new RegExp(`"${KEY}"(?=:["{[\\w-]|:$)|(?<=[{,] ?)(?:"${KEY}"|'${KEY}')(?= ?:)|"${KEY}"(?= ?: ?["{[])`),
    becomes: KEEP,
    reason: 'Keys define the structure. After any other word, quotes hold a value: `open "x": no such file`.',
  },
  {
    name: 'value_of_object',
    group: 'json_value',
    starts: ['quote', 'number', 'mark', 'word'],
    first: `"'-${DIGITS}nNu`,
    second: DIGITS,
    isAnnounced: true,
    pattern: new RegExp(
      `(?<=["'] ?: ?)(?<!\\b${FAILURE_KEY}["'] ?: ?)(?:${STRING}|-?\\d[\\d.eE+-]{0,40}(?=[,}\\] ]|$)|(?:null|None|nil|undefined|NaN)(?!\\w))`,
    ),
    becomes: '<value>',
    reason: 'The value of a key, except true, false and the value of a key such as error.',
  },
  {
    name: 'text_cut_off',
    group: 'quoted',
    starts: ['quote'],
    first: '"',
    pattern: /(?<=[:=,[({] ?)"[^"]{1,1000}$/,
    becomes: '<text>',
    reason: 'A quotation truncated at the end of the message.',
  },
];
