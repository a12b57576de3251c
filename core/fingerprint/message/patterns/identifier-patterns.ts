import { DIGITS, HEX, type MessagePattern } from './message-pattern.js';

const UUID = '[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}';
const VERSION_TAIL = '(?:[-+~][0-9A-Za-z]+(?:[.+~-][0-9A-Za-z]+){0,12})?(?!\\w|[.+~-]\\w)';

/** Identifiers that are not just a word with a digit. All become `<n>`. */
export const IDENTIFIER_PATTERNS: readonly MessagePattern[] = [
  {
    name: 'uuid_in_any_form',
    group: 'uuid',
    starts: ['word', 'number', 'bracket'],
    first: `${HEX}u{`,
    second: HEX,
    pattern: new RegExp(`\\{${UUID}\\}|(?:urn:uuid:)?${UUID}(?!\\w)`),
    becomes: '<n>',
    reason: 'A UUID, also in braces or as a URN.',
    examples: [
      ['order 0190a7f3-5b1e-7c1a-9c39-2f6f4a0f0c11 lost', 'order <n> lost'],
      ['order {0190A7F3-5B1E-7C1A-9C39-2F6F4A0F0C11} lost', 'order <n> lost'],
      ['order urn:uuid:0190a7f3-5b1e-7c1a-9c39-2f6f4a0f0c11 lost', 'order <n> lost'],
    ],
  },
  {
    name: 'hex_dump',
    starts: ['word', 'number'],
    first: HEX,
    pattern:
      /(?=[0-9A-Fa-f]{2,4} )(?:(?:[0-9A-Fa-f]{2} ){3,2048}[0-9A-Fa-f]{2}|(?=[A-Fa-f ]{0,80}\d)(?:[0-9A-Fa-f]{4} ){3,1024}[0-9A-Fa-f]{4})(?![\w-]|\.\w)/,
    becomes: '<n>',
    reason: 'A hex dump of bytes.',
    examples: [
      ['frame de ad be ef 00 01 refused', 'frame <n> refused'],
      ['frame 6465 6164 6265 6566 refused', 'frame <n> refused'],
    ],
  },
  {
    name: 'phone',
    starts: ['mark', 'bracket'],
    first: '+(',
    second: DIGITS,
    pattern: /(?<![\w)\]])(?:\+\d{1,3}(?:[ .-]\(?\d{1,9}\)?){1,6}|\(\d{3}\) ?\d{3}-\d{4})(?![\w-]|\.\w)/,
    becomes: '<n>',
    reason: 'A phone number.',
    examples: [
      ['no answer from +49-30-1234567', 'no answer from <n>'],
      ['no answer from (555) 123-4567', 'no answer from <n>'],
    ],
  },
  {
    name: 'version',
    starts: ['word', 'number'],
    first: `${DIGITS}vV`,
    holds: 'digit',
    pattern: new RegExp(`(?:[vV]\\d{1,9}(?:\\.\\d{1,9}){0,5}|\\d{1,9}(?:\\.\\d{1,9}){2,5})${VERSION_TAIL}`),
    becomes: '<n>',
    reason: 'The version of a program differs from release to release.',
    examples: [
      ['plugin v1.2.3-rc.1+build.5 is too old', 'plugin <n> is too old'],
      ['plugin 1.2.3-SNAPSHOT is too old', 'plugin <n> is too old'],
    ],
  },
  {
    name: 'encoded',
    group: 'base64',
    starts: ['word', 'number'],
    pattern:
      /(?=[A-Za-z0-9+/_-]{22})(?:(?=[A-Za-z0-9/]{0,200}[+=])[A-Za-z0-9+/]{22,}={0,2}(?![\w+/=])|(?=[A-Za-z_-]{0,60}\d)[A-Za-z0-9_-]{24,}={0,2}(?![\w=-]|[./@]\w))/,
    becomes: '<n>',
    reason: 'Base64 and base64url, including padding and signs.',
    examples: [
      ['key QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0+w== refused', 'key <n> refused'],
      ['key QUJDREVGR0hJSktMTU5P/FFSU1RVVldYWVo= refused', 'key <n> refused'],
      ['key QUJDREVGR0hJSktMTU5P--FSU1RVVldYWVo_- refused', 'key <n> refused'],
    ],
  },
  {
    name: 'reverse_domain_name',
    group: 'identifier',
    starts: ['word'],
    first: 'cdefgijmnor',
    holds: 'dot',
    pattern:
      /(?<!\b(?:[Pp]ropert(?:y|ies)|[Oo]ption|[Pp]arameter|[Ss]etting|[Kk]ey|named) )(?:com|org|net|io|edu|gov|mil|de|fr|jp|cn|ru|nl|ch|eu)(?:\.[a-z][\w-]{0,60}){2,12}(?![\w(:/-]|\.\w)(?! (?:does not exist|is (?:required|missing|not (?:set|defined|configured))))/,
    becomes: '<n>',
    reason: 'The name of a package, a bundle or a service as a value; a class ends in a capitalised word.',
    examples: [
      ['service com.apple.x exited', 'service <n> exited'],
      ['com.acme.pool.size is not set', 'com.acme.pool.size is not set'],
    ],
  },
  {
    name: 'hash',
    starts: ['word'],
    first: HEX.replace(/\d/g, ''),
    pattern:
      /(?:[a-f]{8,128}|[A-F]{8,128}|[a-f]{4}(?<=\b(?:[Dd]igest|[Cc]hecksum|[Hh]ash|[Cc]ommit|[Rr]evision) .{4}))(?![\w$-]|\.\w)/,
    becomes: '<n>',
    reason: 'Hexadecimal digits that happen to be letters only.',
    examples: [
      ['commit deadbeef is gone', 'commit <n> is gone'],
      ['Cart@deadbeef is gone', 'Cart@<n> is gone'],
      ['expected digest beef', 'expected digest <n>'],
    ],
  },
];
