import { DIGITS, KEEP, type MessagePattern, UPPER } from './message-pattern.js';

/** Texts that look like values but identify the failure. */
export const KEPT_PATTERNS: readonly MessagePattern[] = [
  {
    name: 'http_status',
    starts: ['number'],
    isAnnounced: true,
    pattern:
      /(?<=\b(?:HTTP(?:\/\d(?:\.\d)?)?|[Ss]tatus|STATUS|(?:[Ss]tatus|[Rr]esponse|[Hh]ttp)[ _-]?[Cc]ode)["']?(?: is| of| was)?[ :=([#"']{1,3})[1-5]\d\d(?![\w.-])/,
    becomes: KEEP,
    reason: 'A 404 and a 500 are different failures.',
  },
  {
    name: 'http_version',
    group: 'protocol_version',
    first: 'H',
    starts: ['word'],
    holds: 'slash',
    pattern: /HTTP\/\d(?:\.\d)?(?!\w)/,
    becomes: KEEP,
    reason: 'The protocol version is part of its name.',
  },
  {
    name: 'exit_code',
    starts: ['number', 'mark'],
    first: `${DIGITS}-`,
    second: DIGITS,
    isAnnounced: true,
    pattern:
      /(?<=\b(?:[Ee]xit(?:ed)?(?: with)?(?: code| status| value)?|[Ee]xit_?[Cc]ode|[Ss]ignal|[Ee]rrno|rc|[Cc]ode|CODE|(?:[Ee]rr|[Ee]rror)_?[Cc]ode)["']?[ :=([#]{1,2})-?\d{1,5}(?![\w.,:%/-])/,
    becomes: KEEP,
    reason: 'Exit codes, signals and error codes identify the failure.',
  },
  {
    name: 'error_number',
    starts: ['number'],
    isAnnounced: true,
    pattern: /(?<=\b(?:[Ee]rror|ERROR)[ #(]{1,2})-?\d{1,5}(?![\w.,%/-]| [a-z]+s )/,
    becomes: KEEP,
    reason: 'A number directly after the word error is an error number.',
  },
  {
    name: 'sql_state',
    starts: ['word', 'number'],
    isAnnounced: true,
    pattern: /(?<=\b(?:SQLSTATE|[Ss][Qq][Ll] ?[Ss]tate)["']?[ :=([]{1,3})[0-9A-Z]{5}(?!\w)/,
    becomes: KEEP,
    reason: 'SQLSTATE is a catalogue of failures.',
  },
  {
    name: 'catalogue_number',
    first: UPPER,
    starts: ['word'],
    holds: 'digit',
    pattern:
      /(?:(?<=^|\b(?:[Ee]rror|ERROR|[Ww]arning|[Cc]ode)["']?[ :=([]{1,2})[A-Z]{1,6}-?\d{3,6}(?![\w@]|[-.]\w)|[A-Z]{1,6}-?\d{3,6}(?=: ))/,
    becomes: KEEP,
    reason:
      'Capitals with a number, at the start, after the word error or before a colon, are a catalogued error code.',
  },
  {
    name: 'constant',
    first: UPPER,
    starts: ['word'],
    pattern: /(?=[A-Z]{2})[A-Z0-9]+(?:_[A-Z]+(?:\d{1,2}[A-Z]*)?)+(?![\w@]|[-.]\w)/,
    becomes: KEEP,
    reason: 'A constant in capitals is a name, also with a digit.',
  },
  {
    name: 'technical_word',
    first: 'uUsSmMbBiIfxXaAhHoOkKtTuI',
    starts: ['word'],
    pattern:
      /(?:[Uu][Tt][Ff]-?(?:8|16|32)|[Ss][Hh][Aa]-?(?:1|224|256|384|512)|[Mm][Dd][45]|[Bb]ase-?(?:32|58|64)|[Ii][Pp][Vv][46]|u?int(?:8|16|32|64)|float(?:16|32|64)|[Xx]86(?:_64)?|amd64|arm64|[Hh]ttp2|[Oo][Aa]uth2?|[Kk]8s|[Xx]\.?509|[Tt][Ll][Ss]v1(?:\.[0-3])?|ISO-8859-\d{1,2})(?![\w-]|\.\w)/,
    becomes: KEEP,
    reason: 'Names of encodings, number types and protocols contain digits.',
  },
  {
    name: 'class_name',
    starts: ['word'],
    holds: 'dot',
    pattern:
      /[A-Za-z_$]+(?:\d[A-Za-z_$]*)?(?:\.[A-Za-z_$]+(?:\d[A-Za-z_$]*)?){1,15}(?![\w-]|\.\w)(?<=\.[A-Z][\w$]{0,100})/,
    becomes: KEEP,
    reason: 'A dotted name that ends in a capitalised word is a class of the program.',
  },
];
