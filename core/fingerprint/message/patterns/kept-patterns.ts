import { NOT_CODE_OF_DATA } from '../codes.js';
import { KEEP, type MessagePattern } from './message-pattern.js';

const PHRASE =
  '(?:OK|Created|Accepted|No Content|Partial Content|Moved Permanently|Not Modified|Temporary Redirect|Permanent Redirect|Bad Request|Unauthorized|Payment Required|Forbidden|Not Found|Method Not Allowed|Not Acceptable|Proxy Authentication Required|Request Time-?[Oo]ut|Conflict|Gone|Length Required|Precondition Failed|Payload Too Large|URI Too Long|Unsupported Media Type|Range Not Satisfiable|Expectation Failed|Unprocessable|Locked|Too Many Requests|Internal Server Error|Not Implemented|Bad Gateway|Service Unavailable|Gateway Time-?[Oo]ut|(?:Client|Server) Error)';
const NUMBER_END = '(?![\\w%/-]|[.,:]\\w)';
/** Level, date and hour before a log line of Kubernetes. */
const HEADER_OF_KLOG = '[EFIW]\\d{4} \\d\\d:';
/** Abbreviations before the number of a thing. */
const THING = '(?:BATCH|CUST|ID|INV|ITEM|JOB|LOT|ORD|ORDER|PAY|PO|REF|SKU|TASK|TKT|TX|TXN|USER)';
const STATUS = '[1-5]\\d\\d(?!\\d|[\\w.,:%/-]\\w)';
const CLAUSE_END = '(?=[.,;:)\\]]?(?:$| (?:from|for|by|on|after|in|instead|when|while)\\b|[,;:] ))';

const KEPT: readonly Omit<MessagePattern, 'becomes'>[] = [
  {
    name: 'http_status',
    starts: ['number'],
    pattern: new RegExp(
      `${STATUS}(?:\\)? \\(?(?=${PHRASE}\\b)|(?<=\\b(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) \\S{1,200} \\d{3}))`,
    ),
    reason: 'A status before its phrase, or after method and path.',
  },
  {
    name: 'http_status',
    starts: ['number'],
    pattern: new RegExp(
      `${STATUS}(?<=\\b(?:[Gg]ot|[Rr]espon(?:se|ded)|[Rr]eplied|[Rr]eturned|[Aa]nswered|[Ff]ailed)(?: with)?(?: an?)?:? [45]\\d\\d)${CLAUSE_END}`,
    ),
    reason: 'A status as a response, at the end of a clause.',
  },
  {
    name: 'protocol_version',
    starts: ['number'],
    pattern:
      /(?<=[A-Zh][ -]?v?[\d.]{0,3})\d(?:\.\d{1,2})?(?![\w%:/-]|[.,]\d| [a-z]{3,30}s\b)(?<=\b(?:TLS|SSL|DTLS|HTTP|HTTPS|OAuth|OpenID|SOAP|XML|MQTT|AMQP|SSH|SMB|NTLM|SNMP|WS|IP)[ -]?v?[\d.]{1,4})/,
    reason: 'A protocol has few versions, and the version is often the cause of the failure.',
  },
  {
    name: 'technical_word',
    starts: ['word'],
    pattern:
      /(?:[Cc][Rr][Cc]-?(?:8|16|32|64)|[Uu][Tt][Ff]-?(?:16|32)-?[LlBb][Ee]|[Ss][Ss][Ll]v[23]|h2c?|[Hh]ttp[23]|[Ss][Hh][Aa]3-?(?:256|384|512)|AES-?(?:128|192|256)(?:-?(?:CBC|GCM|CTR|CCM|ECB))?|[REHP]S(?:256|384|512)|[Ee]d25519|[Xx]25519|secp(?:256|384|521)[kr]1|[Aa]rgon2(?:id|[id])?|[Cc]ha[Cc]ha20(?:-[Pp]oly1305)?|[Ll]atin-?1|(?:cp|CP|[Ww]indows-)125\d|int128|[iu](?:8|16|32|64|128)|f(?:32|64)|[IiLl]1[08][Nn]|e2e|p2p|mp[34]|[Hh]26[45])(?![\w-]|[.:]\w)/,
    reason: 'Ciphers, checksums, curves, encodings, formats and numeronyms contain digits.',
  },
  {
    name: 'technical_word',
    starts: ['number'],
    pattern: /(?:2FA|[1-5]xx)(?![\w-]|[.:]\w)/,
    reason: 'Technical words that begin with a digit.',
  },
  {
    name: 'error_number',
    starts: ['number'],
    isAnnounced: true,
    pattern:
      /0x(?:[0-9A-Fa-f]{8}|[0-9A-Fa-f]{3,4})(?!\w)(?<=\b(?:[Ee]rror(?: code)?|ERROR|[Cc]ode|HRESULT|NTSTATUS|[Ss]tatus|[Rr]esult)[ :=(]{1,3}\w{5,10})/,
    reason: 'Eight hexadecimal digits after code, error or status are a catalogued error code, not an address.',
  },
  {
    name: 'sql_state',
    starts: ['word', 'number'],
    isAnnounced: true,
    pattern: /(?<=\b(?:[Ee]rror|ERROR) \d{1,5} \()[0-9A-Z]{5}(?=\))/,
    reason: 'SQLSTATE in parentheses after an error number.',
  },
  {
    name: 'catalogue_number',
    starts: ['word'],
    pattern: /(?:CVE-\d{4}-\d{4,7}|RFC ?-?\d{3,5})(?![\w-])/,
    reason: 'An entry of a public catalogue.',
  },
  {
    name: 'http_status',
    starts: ['number'],
    isAnnounced: true,
    pattern:
      /(?<=\b(?:HTTP(?:\/\d(?:\.\d)?)?|[Ss]tatus|STATUS|(?:[Ss]tatus|[Rr]esponse|[Hh]ttp)[ _-]?[Cc]ode|HttpStatus(?:Code)?)["']?(?: is| of| was)?[ :=([#"']{1,3})[1-5]\d\d(?![\w-]|\.\w)/,
    reason: 'A 404 and a 500 are different failures.',
  },
  {
    name: 'http_status',
    starts: ['number'],
    isAnnounced: true,
    pattern: /(?<=\b(?:[Ee]rror|ERROR): ?)[45]\d\d(?=$|[\]),;])/,
    reason: 'The status of a failure, alone after the word error.',
  },
  {
    name: 'protocol_version',
    starts: ['word'],
    pattern: /HTTP\/\d(?:\.\d)?(?!\w)/,
    reason: 'The protocol version is part of its name.',
  },
  {
    name: 'exit_code',
    starts: ['number', 'mark'],
    isAnnounced: true,
    pattern: new RegExp(
      `(?<=\\b(?:[Ee]xit(?:ed)?(?: with)?(?: code| status| value)?|[Ee]xit_?[Cc]ode)["']?[ :=([#]{1,3})-?\\d{1,10}${NUMBER_END}`,
    ),
    reason: 'Exit codes identify the failure; those of Windows have ten digits.',
  },
  {
    name: 'exit_code',
    starts: ['number', 'mark'],
    isAnnounced: true,
    pattern: new RegExp(
      `(?<=\\b(?:[Ss]ignal|[Ee]rrno|rc|[Rr]eason|[Cc]ode|CODE|SQLCODE|(?:[Ee]rr|[Ee]rror)_?[Cc]ode)["']?[ :=([#]{1,3})${NOT_CODE_OF_DATA}-?\\d{1,5}${NUMBER_END}`,
    ),
    reason: 'Signals and error codes identify the failure.',
  },
  {
    name: 'error_number',
    starts: ['number', 'mark'],
    isAnnounced: true,
    pattern: /(?<=\b(?:[Ee]rror|ERROR|WinError)[ #(=]{1,2})(?:-214\d{7}|-?\d{1,5})(?![\w%/-]|[.,]\w| [a-z]+s )/,
    reason: 'A number directly after the word error is an error number, not a count; -214… is an HRESULT in decimal.',
  },
  {
    name: 'error_number',
    starts: ['number', 'mark'],
    isAnnounced: true,
    pattern: /(?<=\berror: )-?\d{1,5}(?=$|[,;)])|(?<=\b(?:[Ee]rror|ERROR) \[)-?\d{1,5}(?=\])/,
    reason: 'After a colon or in brackets only a number that stands alone.',
  },
  {
    name: 'error_number',
    starts: ['number', 'word'],
    isAnnounced: true,
    pattern: /(?<=\berror:)[0-9A-F]{8}(?=:)/,
    reason: 'OpenSSL writes library and reason in hexadecimal digits.',
  },
  {
    name: 'error_number',
    starts: ['number', 'mark'],
    pattern: /(?=-?\d)(?<=Domain(?:CFNetwork|[ -]?[^\d\s().]{2,12})? ?\(?)-?\d{1,5}(?![\w%/-]|[.,]\w)/,
    reason: 'Apple writes the number of an error after its domain.',
  },
  {
    name: 'error_number',
    starts: ['number', 'mark'],
    pattern: /(?=-?\d)(?<=Exception: )-?\d{1,5}(?=:)/,
    reason: 'Google writes the number of an error between its type and the message.',
  },
  {
    name: 'error_number',
    starts: ['number'],
    pattern: /(?<=(?:^|Error\) )\()\d{3,5}(?=, b?["'<])/,
    reason: 'Drivers of MySQL write a pair of number and message.',
  },
  {
    name: 'error_number',
    starts: ['number'],
    pattern: /(?<=\bcurl: \()\d{1,2}(?=\))/,
    reason: 'The exit code of curl.',
  },
  {
    name: 'error_number',
    starts: ['number'],
    pattern: /(?<=^Msg )\d{1,5}(?=, Level [\d<])/,
    reason: 'The number of a message of SQL Server.',
  },
  {
    name: 'error_number',
    starts: ['number'],
    pattern: /[245]\d\d[ -][245]\.\d{1,3}\.\d{1,3}(?![\w.])/,
    reason: 'A mail server replies with a code and an enhanced code of RFC 3463.',
  },
  {
    name: 'error_number',
    starts: ['number'],
    pattern: /0x(?:[Cc]0000|80[0-3][0-9A-Fa-f]{2}|[Ee]0(?:43|6[Dd])[0-9A-Fa-f])[0-9A-Fa-f]{3}(?!\w)/,
    reason:
      'The codes of Windows begin with severity and facility: NTSTATUS, HRESULT and the exceptions of .NET and C++.',
  },
  {
    name: 'sql_state',
    starts: ['word', 'number'],
    isAnnounced: true,
    pattern: /(?<=\b(?:SQLSTATE|[Ss][Qq][Ll] ?[Ss]tate)["']?[ :=([]{1,3})[0-9A-Z]{5}(?!\w)/,
    reason: 'SQLSTATE is a catalogue of failures.',
  },
  {
    name: 'sql_state',
    starts: ['number'],
    pattern: /(?<=\bSQLSTATE\[\w{5}\](?: \[|: [A-Za-z ]{3,60}: ))\d{1,5}(?=\]| )/,
    reason: 'The error number of the driver after the SQLSTATE.',
  },
  {
    name: 'catalogue_number',
    starts: ['word'],
    pattern: new RegExp(
      `(?!${HEADER_OF_KLOG}|${THING}-?\\d)(?:(?<=^|\\b(?:[Ee]rror|ERROR|[Ww]arning|[Cc]ode)["']?[ :=([]{1,2})${NOT_CODE_OF_DATA}[A-Z]{1,6}-?\\d{3,6}(?![\\w@]|[-.]\\w)|[A-Z]{1,6}-?\\d{3,6}(?=: )|(?<=: )E\\d{5}(?= ))`,
    ),
    reason:
      'Capitals with a number, at the start, after the word error or before a colon, are a catalogued error code, unless they abbreviate a thing or are level and date of a log of Kubernetes.',
  },
  {
    name: 'constant',
    starts: ['word'],
    pattern: /(?=[A-Z]{2})[A-Z0-9]+(?:_[A-Z]+(?:\d{1,2}[A-Z]*)?)+(?![\w@]|[-.]\w)/,
    reason: 'A constant in capitals is a name, also with a digit.',
  },
  {
    name: 'technical_word',
    starts: ['word'],
    pattern:
      /(?:[Uu][Tt][Ff]-?(?:8|16|32)|[Ss][Hh][Aa]-?(?:1|224|256|384|512)|[Mm][Dd][45]|[Bb]ase-?(?:32|58|64)|[Ii][Pp][Vv][46]|u?int(?:8|16|32|64)|float(?:16|32|64)|[Xx]86(?:_64)?|amd64|arm64|[Hh]ttp2|[Oo][Aa]uth2?|[Kk]8s|[Xx]\.?509|[Tt][Ll][Ss]v1(?:\.[0-3])?|ISO-8859-\d{1,2})(?![\w-]|\.\w)/,
    reason: 'Names of encodings, number types and protocols contain digits.',
  },
  {
    name: 'class_name',
    starts: ['word'],
    pattern:
      /(?=[\w.:]{1,200}[?!]?\/\d)(?:[A-Z]\w{0,60}(?:\.[A-Z]\w{0,60}){0,12}\.[a-z_]\w{0,60}|(?<=:)[a-z_]\w{0,60}\.[a-z_]\w{0,60}|[a-z_]\w{0,60}:[a-z_]\w{0,60}|(?<=\b(?:function|callback|macro) )[a-z_]\w{0,60})[?!]?\/\d{1,2}(?![\w/-]|\.\w)/,
    reason: 'A function of Elixir or Erlang with the number of its arguments.',
  },
  {
    name: 'class_name',
    starts: ['word'],
    pattern:
      /[A-Za-z_$]+(?:\d[A-Za-z_$]*)?(?:\.[A-Za-z_$]+(?:\d[A-Za-z_$]*)?){1,15}(?![\w-]|\.\w)(?<=\.[A-Z][\w$]{0,100})/,
    reason: 'A dotted name that ends in a capitalised word is a class of the program.',
  },
];

/** Texts that look like values but identify the failure: status codes first. */
export const KEPT_PATTERNS: readonly MessagePattern[] = KEPT.map((row) => ({ ...row, becomes: KEEP }));
