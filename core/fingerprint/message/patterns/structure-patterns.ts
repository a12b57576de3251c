import { INSIDE, KEEP, type MessagePattern } from './message-pattern.js';

const WORDS = [
  'Error Domain|SQLCODE|SQLSTATE|[A-Za-z]{0,20}(?:Error|Status)Code|(?:error|err|exception|event|exit|[Ss]tatus|response|result|sql|http)?_?(?:[Cc]ode|[Ss]tate|[Ss]tatus|[Tt]ype|[Rr]eason)',
  '(?:error|err|exception|event)_?[Nn]ame',
  '(?:error|err|exception|event|status)?_?(?:[Mm]essage|[Mm]sg)',
  '[Ee]rr(?:or)?s?|[Ee]xception|[Cc]ause|[Dd]esc(?:ription)?|[Dd]etails?|[Tt]itle|[Kk]ind|[Cc]lass|[Cc]ategory|[Aa]ction',
  '[Oo]p(?:eration)?|[Mm]ethod|[Pp]hase|[Ss]tage|[Ss]tep|[Ee]vent|[Rr]esult|[Oo]utcome|[Ll]evel|[Ss]everity|[Ss]tat',
  '[Ee]rrno|[Ss]ignal|[Ss]yscall|[Cc]omponent|rc',
];

/** Pattern source of the keys whose value identifies the failure, in key=value and JSON. */
const FAILURE_KEY = `(?:${WORDS.join('|')})`;

/** A character of a value; `LAST` may end it. */
const INNER = `[^\\s,;()\\[\\]{}<>"'\`&|=]`;
const LAST = INNER.replace('[^', '[^.:!?');
const IN_BRACKETS = '(?:\\([^()]{0,200}\\)|\\{[^{}]{0,200}\\}|\\[[^\\[\\]]{0,200}\\])';
/** Fewer than four words; a longer quotation is a message. */
const SHORT_QUOTATION =
  '(?:"(?!(?:[^"\\s]{1,60} ){3})(?:[^"\\\\]|\\\\.){0,200}"|\'(?!(?:[^\'\\s]{1,60} ){3})[^\']{0,200}\')';
const URL_VALUE = `[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\\s"'<>,;()[\\]{}]*`;
const ELEMENT = `[^\\s,[\\](){}"'=<>]{1,80}`;
const WORD = '[A-Za-z_][A-Za-z_-]{0,60}(?=[,\\]])';

/** Values after an equals sign, and lists. One placeholder for every type of value, because the next one may be null. */
export const KEY_VALUE_PATTERNS: readonly MessagePattern[] = [
  {
    name: 'comparison',
    starts: ['mark'],
    pattern: /={2,3}|=>|=~|(?<=[!<>+*/%|&^:-])=/,
    becomes: KEEP,
    reason: 'An operator, not a key with a value.',
  },
  {
    name: 'speaking_key',
    starts: ['mark'],
    pattern: new RegExp(`(?==)(?<=\\b${FAILURE_KEY} ?)= ?`),
    becomes: KEEP,
    reason: 'The value of error, code, status or reason identifies the failure and is parameterized like other text.',
  },
  {
    name: 'flag',
    starts: ['mark'],
    pattern: /= ?(?:true|false|True|False|TRUE|FALSE|yes|no|on|off)(?!\w)/,
    becomes: KEEP,
    reason: 'A boolean distinguishes two cases.',
  },
  {
    name: 'enumerated',
    starts: ['mark'],
    pattern: /= ?[A-Z]{2,}(?:_[A-Z]+)*(?![\w.:/=-])/,
    becomes: KEEP,
    reason: 'A constant in capitals has few values.',
  },
  {
    name: 'value',
    starts: ['mark'],
    pattern: new RegExp(
      `(?<=[\\w)\\]"'] ?)=(?: (?!\\w+ ?=))?(?:${URL_VALUE}|${INNER}*${LAST}(?:={1,2}(?![\\w=]))?${IN_BRACKETS}?|${SHORT_QUOTATION})|(?<=\\w)=(?=$|[,;)\\]}&]| (?![([{]))`,
    ),
    becomes: '=<value>',
    reason: 'The value of key=value.',
  },
  {
    name: 'list',
    starts: ['bracket'],
    pattern: /\[[#=>.*█▓▒░ -]{3,200}\]/,
    becomes: '[<n>]',
    reason: 'A bar that shows progress.',
  },
  {
    name: 'list',
    starts: ['bracket'],
    pattern: new RegExp(
      `\\[(?=[^\\s,\\]]{1,80}, ?[^\\s,\\]])(?:${ELEMENT}, ?){0,100}${WORD}(?:, ?${ELEMENT}){0,100}\\]`,
    ),
    becomes: '[<text>]',
    reason: 'Two or more words in brackets are printed data; a single one is often a name such as `[main]`.',
  },
  {
    name: 'value',
    starts: ['mark'],
    pattern: new RegExp(
      `:(?<!${FAILURE_KEY}:)[A-Za-z][^\\s{}[\\]"'\`]{0,200}(?=[}\\]]| \\w{1,60}:)(?<=(?:\\{|map\\[)(?:\\w{1,60}:\\S{1,200} ){0,30}\\w{1,60}:\\S{1,200})`,
    ),
    becomes: ':<value>',
    reason: 'Go prints structs and maps without quotes.',
  },
  {
    name: 'value',
    starts: ['mark'],
    pattern: /(?<=[\w)\]"'] ?)= ?(?:\([^()]{0,200}\)|\[[^[\]]{0,200}\]|\{[^{}]{0,200}\})/,
    becomes: '=<value>',
    reason: 'A list, a row or an object as the value of key=value.',
  },
];

const ANNOUNCES_NAME =
  '(?:[Rr]eading|[Ww]riting|[Pp]ropert(?:y|ies)|[Aa]ttribute|[Mm]ethod|[Ff]unction|[Mm]odule|[Pp]ackage|[Cc]olumn|[Ff]ield|[Tt]able|[Rr]elation|[Cc]onstraint|[Ii]ndex|for key|[Ff]ailed with result|[Ff]ailed to execute|execute .\\w{1,60}. on|[Ff]ilter|[Oo]ption|[Pp]arameter|[Aa]rgument|[Vv]ariable|[Cc]lass|[Tt]ype|[Oo]perator|[Kk]eyword|[Uu]nexpected token|[Hh]eader(?! ?:)|[Aa]rray key|[Mm]odule named|import name|instance of|[Cc]ommand|invoke|because|return value of)';

const KEY = '[A-Za-z_$@][\\w$.@ -]{0,63}';
const STRING = `"(?:[^"\\\\]|\\\\.){0,1000}(?:"|$)|'[^']{0,1000}(?:'|$)`;

/** Fragments of JSON and similar notations, also truncated ones. */
export const JSON_PATTERNS: readonly MessagePattern[] = [
  {
    name: 'json_key',
    starts: ['quote'],
    pattern: new RegExp(`"${KEY}"(?=:["{[\\w-]|:$)|(?<=[{,] ?)(?:"${KEY}"|'${KEY}')(?= ?:)|"${KEY}"(?= ?: ?["{[])`),
    becomes: KEEP,
    reason: 'Keys define the structure. After any other word, quotes hold a value: `open "x": no such file`.',
  },
  {
    name: 'json_value',
    starts: ['quote', 'number', 'mark', 'word'],
    isAnnounced: true,
    pattern: new RegExp(
      `(?<=["'] ?: ?)(?<!\\b${FAILURE_KEY}["'] ?: ?)(?:${STRING}|-?\\d[\\d.eE+-]{0,40}(?=[,}\\] ]|$)|(?:null|None|nil|undefined|NaN)(?!\\w))`,
    ),
    becomes: '<value>',
    reason: 'The value of a key, except true, false and the value of a key such as error.',
  },
  {
    name: 'value',
    starts: ['quote', 'number', 'word', 'bracket'],
    pattern: new RegExp(
      `(?=["'\\dSONnu[-])(?<=(?:[%#A-Z][\\w:.]{0,80} ?\\{|#<[A-Z][\\w:]{0,80})(?: |[^{}]{0,500}, )?\\w{1,60}(?<!\\b(?:${FAILURE_KEY}|${ANNOUNCES_NAME})): )(?:${STRING}|-?\\d[\\d.eE+-]{0,40}(?=[,}>)\\] ]|$)|(?:Some|Ok)\\([^()]{0,200}\\)|(?:nil|None|null|undefined)(?!\\w)|\\[[^[\\]{}]{0,300}\\])`,
    ),
    becomes: '<value>',
    reason: 'A member of a printed struct or object, whatever its type: Rust, Ruby, Elixir, Kotlin, Dart.',
  },
  {
    name: 'quoted',
    starts: ['quote'],
    pattern: /(?<=[:=,[({] ?)"[^"]{1,1000}$/,
    becomes: '<text>',
    reason: 'A quotation truncated at the end of the message.',
  },
];

/** A key of a printed struct whose value is an argument if it has fewer than three words. */
const KEY_OF_STRUCT =
  '[A-Z]\\w{0,60} ?\\{(?:[^{}]{0,200},)? ?(?:action|op(?:eration)?|method|phase|stage|step|event|title|category): ';
const DEMANDS =
  '(?: object (?:has|is|does|cannot|of)\\b| is (?:required|missing|not (?:allowed|defined|a function|iterable|a constructor))| must (?:be|not|have|match|contain))';
/** Neither a number, hexadecimal digits, a path, a URL nor a minified class; with few digits. */
const NAME =
  '(?![\\d.]{1,80}["\'`]|(?:(?=[a-f]{0,80}\\d)[\\da-f]{6,80}|[a-f]{8,80})["\'`]|(?:[a-z]{1,20}:|[A-Z]:|~)?[/\\\\]{1,2}\\w|minified:)[A-Za-z_$#@.<(/\\\\:[\\]()>, -]{0,80}(?:\\d{1,3}(?!\\d)[A-Za-z_$.<>()[\\]-]{0,40}){0,2}';
/** Only a label, as of a form, has spaces that do not follow a comma. */
const NO_LABEL = '(?!.[^"\'`]{0,80}[^,"\'`] )';
const BRACKETED = '[A-Za-z][\\w.@-]{0,80}';
const RUNNING =
  '(?:[Jj]ob|[Pp]rocess|[Tt]ask|[Pp]rogram|[Dd]aemon|[Ss]ervice|[Uu]nit|[Cc]ontainer|[Pp]od|[Ww]orker|[Qq]ueue)s?';
const IDENTIFIER = '[A-Za-z_$]{1,60}';
/** What only a program has between backticks, other than the name of a file, a host or a person. */
const CODE = [
  '(?:None|Some|Ok|Err|null|nil|undefined|NaN|true|false|self|this|[iu](?:8|16|32|64|128|size)|f(?:32|64)|bool|str)',
  "[\\w$&<(\\[][\\w$&<>()\\[\\], '*-]{0,80}::[\\w$&<>()\\[\\],: '*!-]{1,120}",
  `(?:${IDENTIFIER}[.#]){0,8}${IDENTIFIER}\\([\\w, ]{0,40}\\)|[a-z_]{1,60}!`,
  `&(?:mut )?\\w{1,60}|[A-Z]\\w{0,60}<[^\`]{1,80}>`,
  `(?:${IDENTIFIER}\\.){0,8}[A-Za-z_$]{0,60}[a-z][A-Z]${IDENTIFIER}(?:\\.${IDENTIFIER}){0,8}`,
  `(?:this|self|props|state|req|res|process|window|document)(?:\\.${IDENTIFIER}){1,8}`,
  '[1-5]\\d\\d [A-Z][A-Za-z -]{1,40}',
  '\\(?[a-z_.]{1,60} (?:[=!<>]=|[<>]|&&|\\|\\|) [a-z_.]{1,60}\\)?',
];
const BUILT_IN_TYPE =
  '(?:NoneType|NilClass|int|str|float|bool|bytes|bytearray|complex|dict|tuple|frozenset|datetime\\.datetime|builtin_function_or_method)';
const QUOTED_NAME = `(?:"${NAME}"|'${NAME}'|\`${NAME}[\`'])`;

/** Text in quotes is input, unless the word before it or its form shows otherwise. */
export const QUOTED_PATTERNS: readonly MessagePattern[] = [
  {
    name: 'speaking_value',
    starts: ['quote'],
    pattern: new RegExp(
      `(?<=\\b${FAILURE_KEY}["']? ?[:=] ?)(?:(?<!${KEY_OF_STRUCT})|(?="(?:[^"\\s]{0,60} ){2}))(?:"(?:[^"\\\\]|\\\\.){0,1000}"|'[^']{0,1000}')`,
    ),
    becomes: INSIDE,
    reason: 'The value of error, message, reason or code describes the failure.',
  },
  {
    name: 'request_line',
    starts: ['quote'],
    pattern:
      /"(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|CONNECT|TRACE) [^"]{1,2000}"(?=,? 404\b|(?<=\b[Nn]o route found for "[^"]{1,2010}"))/,
    becomes: (line) => line.replace(/ [^ "]+/, ' <path>'),
    reason: 'What was not found is often a guess of a stranger.',
  },
  {
    name: 'request_line',
    starts: ['quote'],
    pattern:
      /["'](?:[a-z]{2,10}:){0,2}[a-z][a-z0-9+.-]{1,20}:\/\/[^"'\s]{1,2000}["'](?<=\b(?:[Gg]et|GET|[Hh]ead|HEAD|[Pp]ost|POST|[Pp]ut|PUT|[Pp]atch|PATCH|[Dd]elete|DELETE|[Rr]equest|[Rr]equest (?:to|for)|[Cc]alling|[Ff]etch(?:ing)?|[Uu]rl|URL)[ :=(]{1,2}["'][^"']{1,2030}["'])/,
    becomes: INSIDE,
    reason: 'The address of a request: which service and which of its resources.',
  },
  {
    name: 'request_line',
    starts: ['quote'],
    pattern: /"(?=(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|CONNECT|TRACE) )[^"]{0,2000}"/,
    becomes: INSIDE,
    reason: 'A request line: its method is not a value.',
  },
  {
    name: 'quoted',
    starts: ['quote'],
    pattern: /"<local\d{1,4}>"/,
    becomes: '<text>',
    reason: 'Java numbers the variables of a class that was compiled without their names.',
  },
  {
    name: 'program_name',
    starts: ['quote'],
    pattern: new RegExp(`(?<=\\b${ANNOUNCES_NAME}[ (:]{1,2})${NO_LABEL}${QUOTED_NAME}|${QUOTED_NAME}(?=${DEMANDS})`),
    becomes: KEEP,
    reason: 'Names of columns, properties and modules are part of the program.',
  },
  {
    name: 'program_name',
    starts: ['quote'],
    pattern: new RegExp(
      `["']${BUILT_IN_TYPE}["']|["'][A-Za-z_]\\w{0,80}["'](?= objects? (?:has no attribute|does not support|is not (?:callable|iterable|subscriptable|reversible|an iterator))\\b)|(?<=\\b(?:[Cc]lass|[Ii]nterface|[Tt]rait|[Ee]num) )["'][A-Za-z_][\\w\\\\]{0,200}["']`,
    ),
    becomes: KEEP,
    reason: 'Types of a language, in front of what they lack, and classes with their namespace are not input.',
  },
  {
    name: 'program_name',
    starts: ['quote'],
    pattern: new RegExp(`\`(?:${CODE.join('|')})\``),
    becomes: KEEP,
    reason: 'Calls, paths, types and literals between backticks are part of the program.',
  },
  {
    name: 'list',
    starts: ['bracket'],
    pattern: new RegExp(
      `(?<=[a-z] (?<!\\b(?:${FAILURE_KEY}|${ANNOUNCES_NAME}|with) ))\\[(?=[A-Z_]{0,80}[a-z])${BRACKETED}\\](?= |(?<=\\b(?:by|for|from|in|of|on|to|${RUNNING}) \\[[^[\\]]{1,82}\\])$)`,
    ),
    becomes: '[<text>]',
    reason: 'Printed data after a plain word that does not announce a name; at the end it is often a tag.',
  },
  {
    name: 'list',
    starts: ['bracket'],
    pattern: new RegExp(`\\(${BRACKETED}\\)(?<=\\b${RUNNING} \\([^()]{1,82}\\))`),
    becomes: '(<text>)',
    reason: 'The name of what runs, in parentheses after the word for it.',
  },
  {
    name: 'sentence',
    starts: ['quote'],
    pattern:
      /(?<=\bpanicked at )'[^']{1,1000}'(?=, )|"(?=(?:[^"\s]{1,60} ){3})[^"]{1,1000}"|'(?=(?:[^'\s]{1,60} ){3})[^']{1,1000}'(?!\w)/,
    becomes: INSIDE,
    reason: 'Four or more words, or what a panic of Rust says, are a message within the message.',
  },
  {
    name: 'quoted',
    starts: ['quote'],
    pattern:
      /"(?:[^"\\]|\\.){0,500}"|'(?:[^'\n]|''){0,500}'(?!\w)|``[^`']{0,500}''|`[^`]{0,500}[`']|[“„][^“”]{0,500}[”“]|[‘‚][^‘’]{0,500}[’‘](?!\w)|«[^«»]{0,500}»|»[^«»]{0,500}«|‹[^‹›]{0,500}›|「[^「」]{0,500}」|『[^『』]{0,500}』/,
    becomes: '<text>',
    reason: 'Names, titles and other input.',
  },
];
