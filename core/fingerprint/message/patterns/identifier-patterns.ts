import type { MessagePattern } from './message-pattern.js';

const UUID = '[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}';
const VERSION_TAIL = '(?:[-+~][0-9A-Za-z]+(?:[.+~-][0-9A-Za-z]+){0,12})?(?!\\w|[.+~-]\\w)';

const IDENTIFIERS: readonly Omit<MessagePattern, 'becomes'>[] = [
  {
    name: 'uuid',
    starts: ['word', 'number', 'bracket'],
    pattern: new RegExp(`\\{${UUID}\\}|(?:urn:uuid:)?${UUID}(?!\\w)`),
    reason: 'A UUID, also in braces or as a URN.',
  },
  {
    name: 'hex_dump',
    starts: ['word', 'number'],
    pattern:
      /(?=[0-9A-Fa-f]{2,4} )(?:(?:[0-9A-Fa-f]{2} ){3,2048}[0-9A-Fa-f]{2}|(?=[A-Fa-f ]{0,80}\d)(?:[0-9A-Fa-f]{4} ){3,1024}[0-9A-Fa-f]{4})(?![\w-]|\.\w)/,
    reason: 'A hex dump of bytes.',
  },
  {
    name: 'identifier',
    starts: ['word'],
    isAnnounced: true,
    pattern: /(?<=\b(?:[Dd]ev|[Dd]evice|[Dd]isk)[ =:(]{1,2})(?:sd|hd|vd|xvd)[a-z]{1,2}(?![\w.-])/,
    reason: 'A disk of Linux; those with a number are like other words with a digit.',
  },
  {
    name: 'phone',
    starts: ['mark', 'bracket'],
    pattern: /(?<![\w)\]])(?:\+\d{1,3}(?:[ .-]\(?\d{1,9}\)?){1,6}|\(\d{3}\) ?\d{3}-\d{4})(?![\w-]|\.\w)/,
    reason: 'A phone number.',
  },
  {
    name: 'version',
    starts: ['word', 'number'],
    pattern: new RegExp(`(?:[vV]\\d{1,9}(?:\\.\\d{1,9}){0,5}|\\d{1,9}(?:\\.\\d{1,9}){2,5})${VERSION_TAIL}`),
    reason: 'The version of a program differs from release to release.',
  },
  {
    name: 'base64',
    starts: ['word', 'number'],
    pattern:
      /(?=[A-Za-z0-9+/_-]{22})(?:(?=[A-Za-z0-9/]{0,200}[+=])[A-Za-z0-9+/]{22,}={0,2}(?![\w+/=])|(?=[A-Za-z_-]{0,60}\d)[A-Za-z0-9_-]{24,}={0,2}(?![\w=-]|[./@]\w))/,
    reason: 'Base64 and base64url, including padding and signs.',
  },
  {
    name: 'base64',
    starts: ['word', 'number'],
    pattern: /(?=[A-Z0-9/]{0,60}[a-z])(?=[a-z0-9/]{0,60}[A-Z])(?=[A-Za-z/]{0,60}\d)[A-Za-z0-9+/]{40,}(?![\w.=/-])/,
    reason: 'Forty or more signs of base64 with digits and letters of both cases, also without padding.',
  },
  {
    name: 'identifier',
    starts: ['word'],
    pattern:
      /(?<!\b(?:[Pp]ropert(?:y|ies)|[Oo]ption|[Pp]arameter|[Ss]etting|[Kk]ey|named) )(?:com|org|net|io|edu|gov|mil|de|fr|jp|cn|ru|nl|ch|eu)(?:\.[a-z][\w-]{0,60}){2,12}(?![\w(:/-]|\.\w)(?! (?:does not exist|is (?:required|missing|not (?:set|defined|configured))))/,
    reason: 'The name of a package, a bundle or a service as a value; a class ends in a capitalised word.',
  },
  {
    name: 'identifier',
    starts: ['word'],
    pattern: /minified:[A-Za-z_$][\w$]{0,7}(?!\w)/,
    reason: 'A minified class of Dart for the web changes with each build.',
  },
  {
    name: 'hash',
    starts: ['word'],
    pattern:
      /(?:[a-f]{8,128}|[A-F]{8,128}|[a-f]{4}(?<=\b(?:[Dd]igest|[Cc]hecksum|[Hh]ash|[Cc]ommit|[Rr]evision) .{4}))(?![\w$-]|\.\w)/,
    reason: 'Hexadecimal digits that happen to be letters only.',
  },
];

/** Identifiers that are not just a word with a digit. All become `<n>`. */
export const IDENTIFIER_PATTERNS: readonly MessagePattern[] = IDENTIFIERS.map((row) => ({ ...row, becomes: '<n>' }));

/** User names, numbers of accounts, and credentials. */
export const ACCOUNT_PATTERNS: readonly MessagePattern[] = [
  {
    name: 'user',
    starts: ['word', 'number'],
    isAnnounced: true,
    pattern:
      /(?<=\b(?:(?:for|of|[Ii]nvalid|[Ii]llegal|[Uu]nknown|by|as|from) (?:user|USER|login|account)|[Pp]assword for|[Ll]ogin for|[Ll]ogon for) )[\w.$\\-]{1,64}(?= (?:by|from|on|at|in|with|to|via|using|port|is|has|not|was|does)\b| ?[[(,;:]|[.!]?$)/,
    becomes: '<user>',
    reason: 'The name of an account.',
  },
  {
    name: 'identifier',
    starts: ['word'],
    pattern: /[A-Z]{2}\d\d(?: [A-Z\d]{4}){2,7}(?: [A-Z\d]{1,4})?(?![\w-])/,
    becomes: '<n>',
    reason: 'The number of a bank account, in groups of four.',
  },
  {
    name: 'credential',
    starts: ['word', 'number'],
    isAnnounced: true,
    pattern: /(?<=\b(?:Bearer|Basic) )[\w.+/=~-]{8,}/,
    becomes: '<n>',
    reason: 'The credential after an authorization scheme is secret and differs.',
  },
];
