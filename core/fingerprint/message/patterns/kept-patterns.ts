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
    examples: [
      ['Request 12 failed with status code 404', 'Request <n> failed with status code 404'],
      ['HTTP/1.1 503 for item 17', 'HTTP/1.1 503 for item <n>'],
      ['upstream said {"status":502}', 'upstream said {"status":502}'],
    ],
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
    examples: [['HTTP/2 stream 5 closed', 'HTTP/2 stream <n> closed']],
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
    examples: [
      ['worker 31 exited with code 137', 'worker <n> exited with code 137'],
      ['[Errno 2] No such file', '[Errno 2] No such file'],
      ['killed by signal 9 after 20 s', 'killed by signal 9 after <time>'],
    ],
  },
  {
    name: 'error_number',
    starts: ['number'],
    isAnnounced: true,
    pattern: /(?<=\b(?:[Ee]rror|ERROR)[ #(]{1,2})-?\d{1,5}(?![\w.,%/-]| [a-z]+s )/,
    becomes: KEEP,
    reason: 'A number directly after the word error is an error number.',
    examples: [['Error 1062: row 7', 'Error 1062: row <n>']],
  },
  {
    name: 'sql_state',
    starts: ['word', 'number'],
    isAnnounced: true,
    pattern: /(?<=\b(?:SQLSTATE|[Ss][Qq][Ll] ?[Ss]tate)["']?[ :=([]{1,3})[0-9A-Z]{5}(?!\w)/,
    becomes: KEEP,
    reason: 'SQLSTATE is a catalogue of failures.',
    examples: [['SQLSTATE[42P01]: relation 12 missing', 'SQLSTATE[42P01]: relation <n> missing']],
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
    examples: [
      ['ORA-00942: table 5 missing', 'ORA-00942: table <n> missing'],
      ['E11000 duplicate key 99', 'E11000 duplicate key <n>'],
      ['the ticket AB-1234 is closed', 'the ticket <n> is closed'],
    ],
  },
  {
    name: 'constant',
    first: UPPER,
    starts: ['word'],
    pattern: /(?=[A-Z]{2})[A-Z0-9]+(?:_[A-Z]+(?:\d{1,2}[A-Z]*)?)+(?![\w@]|[-.]\w)/,
    becomes: KEEP,
    reason: 'A constant in capitals is a name, also with a digit.',
    examples: [['ERR_HTTP2_STREAM_ERROR on stream 3', 'ERR_HTTP2_STREAM_ERROR on stream <n>']],
  },
  {
    name: 'technical_word',
    first: 'uUsSmMbBiIfxXaAhHoOkKtTuI',
    starts: ['word'],
    pattern:
      /(?:[Uu][Tt][Ff]-?(?:8|16|32)|[Ss][Hh][Aa]-?(?:1|224|256|384|512)|[Mm][Dd][45]|[Bb]ase-?(?:32|58|64)|[Ii][Pp][Vv][46]|u?int(?:8|16|32|64)|float(?:16|32|64)|[Xx]86(?:_64)?|amd64|arm64|[Hh]ttp2|[Oo][Aa]uth2?|[Kk]8s|[Xx]\.?509|[Tt][Ll][Ss]v1(?:\.[0-3])?|ISO-8859-\d{1,2})(?![\w-]|\.\w)/,
    becomes: KEEP,
    reason: 'Names of encodings, number types and protocols contain digits.',
    examples: [['utf8 decoder failed at byte 17', 'utf8 decoder failed at byte <n>']],
  },
  {
    name: 'class_name',
    starts: ['word'],
    holds: 'dot',
    pattern:
      /[A-Za-z_$]+(?:\d[A-Za-z_$]*)?(?:\.[A-Za-z_$]+(?:\d[A-Za-z_$]*)?){1,15}(?![\w-]|\.\w)(?<=\.[A-Z][\w$]{0,100})/,
    becomes: KEEP,
    reason: 'A dotted name that ends in a capitalised word is a class of the program.',
    examples: [['com.acme.v2.CartError in cart 7', 'com.acme.v2.CartError in cart <n>']],
  },
];
