import type { MessagePattern } from './message-pattern.js';
import { templateOfPath, templateOfUrl } from './url-template.js';

const OCTETS = '\\d{1,3}(?:\\.\\d{1,3}){3}';
const LABEL = '(?!-)[A-Za-z0-9-]{1,63}(?<!-)';
const REVERSED = '(?:com|org|net|io|edu|gov|java|javax|android|system)\\.';
const TOP = 'com|net|org|edu|gov|mil|info|biz|cloud|local|localdomain|internal|lan|corp|intra|arpa';
const SOURCE = '(?:js|ts|py|go|rb|rs|cs|cc|hs|sh|pl|kt|mm|so|vb|ml|fs)';
const OTHER_FILE =
  '(?:[a-z]|[cm]js|[jt]sx|java|kts|cpp|hpp|php|html?|css|vue|xml|ya?ml|json|toml|ini|conf|cfg|sql|lua|exs?|proto|scala|swift|txt|log|csv)';
const PORT = '(?::\\d{1,5})?';

const PIECE = '[0-9A-Fa-f]{1,4}';
const IPV6 = `(?:${PIECE}(?::${PIECE}){7}|(?:${PIECE}(?::${PIECE}){0,6})?::(?:${PIECE}(?::${PIECE}){0,6})?(?:\\.\\d{1,3}){0,3})(?:%[\\w.-]{1,16})?`;
const CONNECTING =
  '(?:(?:[Cc]onnect(?:ed|ing|ions?)?|[Hh]andshake)(?: \\w{1,10})? (?:to|from|with|at|on)|[Rr]equests? (?:to|via)|[Hh]ost|[Rr]emote|[Ee]ndpoint|[Bb]ackend|[Rr]eplica|[Pp]roxy|[Aa]ddress|[Ss]erver|[Pp]eer|[Bb]roker|[Nn]ode|[Uu]pstream|[Dd]ial(?:ing)?(?: tcp| udp)?|[Ll]istening on|[Bb]ind(?:ing)?(?: to)?|[Rr]esolv(?:e|ing)|ENOTFOUND|EAI_AGAIN|E(?:CONN(?:REFUSED|RESET|ABORTED)|HOSTUNREACH|TIMEDOUT))';

/** Addresses of machines, people and resources. */
export const ADDRESS_PATTERNS: readonly MessagePattern[] = [
  {
    name: 'url',
    starts: ['word'],
    pattern:
      /(?=[A-Za-z][A-Za-z0-9+.-]{0,30}:)(?:[a-z]{2,12}:){0,2}[A-Za-z][A-Za-z0-9+.-]{0,30}:\/\/(?=[\w[<])(?:[^\s"'<>`]|<(?:n|host)>)*(?:[^\s"'<>`.,;:!?()[\]{}]|<(?:n|host)>)/,
    becomes: templateOfUrl,
    reason: 'Port, query and the ids of a path differ between calls; host and the words of a path say what was called.',
  },
  {
    name: 'url',
    starts: ['word'],
    pattern:
      /(?=[A-Za-z][A-Za-z0-9+.-]{0,30}:)(?:(?:[a-z]{2,12}:){0,2}[A-Za-z][A-Za-z0-9+.-]{0,30}:\/\/|jar:file:|file:\/|urn:(?!uuid:)[a-z0-9][a-z0-9-]{1,31}:|data:[a-z]{1,20}\/[\w.+-]{1,60}[;,])[^\s"'<>`]*[^\s"'<>`.,;:!?()[\]{}]/,
    becomes: '<url>',
    reason: 'A URL of a resource such as a file, not of a service.',
  },
  {
    name: 'email',
    starts: ['word', 'number'],
    pattern: new RegExp(
      `[A-Za-z0-9._%+-]{1,64}@(?:(?:[A-Za-z0-9-]{1,63}\\.){1,8}[A-Za-z][A-Za-z0-9-]{1,62}(?![\\w-])|localhost(?!\\w)|\\[?${OCTETS}\\]?(?![\\w.]))`,
    ),
    becomes: '<email>',
    reason: 'A person, but not a package with a version such as `left-pad@1.3.0`.',
  },
  {
    name: 'ip_address',
    starts: ['word', 'number', 'mark', 'bracket'],
    pattern: new RegExp(`(?<![\\w:.])(?:\\[${IPV6}\\](?::\\d{1,5})?(?!\\w)|${IPV6}(?:/\\d{1,3})?(?![\\w:]))`),
    becomes: '<host>',
    reason: 'A machine or a network, with brackets and port, zone, or prefix length.',
  },
  {
    name: 'hardware_address',
    starts: ['word', 'number'],
    pattern:
      /(?:[0-9A-Fa-f]{2}(?:(?::[0-9A-Fa-f]{2}){5}(?:(?::[0-9A-Fa-f]{2}){2})?|(?:-[0-9A-Fa-f]{2}){5}(?:(?:-[0-9A-Fa-f]{2}){2})?)|[0-9A-Fa-f]{4}(?:\.[0-9A-Fa-f]{4}){2})(?![\w:]|\.\w)/,
    becomes: '<host>',
    reason: 'The hardware address of a network card, in its three notations.',
  },
  {
    name: 'host',
    starts: ['word', 'number'],
    pattern: new RegExp(
      `(?=[\\d.-]{0,40}[A-Za-z])[A-Za-z0-9][A-Za-z0-9.-]{0,100}:\\d{1,5}(?![\\w.:]\\w|\\w)(?<=\\b(?:${CONNECTING}:?|(?:to|from|with|via)(?= [A-Za-z.]{1,60}[\\d-])|(?:at|on|of)(?= [A-Za-z.-]{1,60}\\d)) [\\w.:-]{3,107})(?<!\\.(?:${SOURCE}|${OTHER_FILE}):\\d{1,5})`,
    ),
    becomes: '<host>',
    reason: 'A name with a port after a word about connections, or, with digits or hyphens, after a preposition.',
  },
  {
    name: 'host',
    starts: ['word', 'number'],
    isAnnounced: true,
    pattern: new RegExp(
      `(?<=\\b(?:ENOTFOUND|EAI_AGAIN|tcp: lookup) )(?:${LABEL}\\.){0,8}${LABEL}(?::\\d{1,5})?(?![\\w-])`,
    ),
    becomes: '<host>',
    reason: 'A name that could not be resolved, also without a domain.',
  },
  {
    name: 'user_agent',
    starts: ['word'],
    pattern: new RegExp(
      `(?=[A-Za-z][\\w-]{1,40}/\\d)(?!HTTP/|[\\w-]{1,41}/${OCTETS}(?![\\w.]))[A-Za-z][\\w-]{1,40}/\\d{1,6}(?:\\.\\w{1,20}){1,6}(?![\\w/-])(?: \\([^()]{0,300}[;,/+][^()]{0,300}\\)|(?: [A-Z][a-z]{1,20})? [A-Za-z][\\w.-]{1,40}/[\\w.+-]{0,40}\\w){0,24}`,
    ),
    becomes: '<agent>',
    reason: 'Products with dotted versions and comments identify a browser or a client library.',
  },
  {
    name: 'ip_address',
    starts: ['word', 'number', 'mark'],
    pattern: new RegExp(
      `(?:[A-Za-z0-9][\\w.-]{0,200}(?=/))?(?:(?<![.)\\]])/)?${OCTETS}(?<!\\b[Vv]ersion:? [\\d.]{7,15})${PORT}(?:/\\d{1,2})?(?!\\w|-(?!>)|\\.\\w)`,
    ),
    becomes: '<host>',
    reason: 'A machine, with or without port, also as Java writes it: name/address.',
  },
  {
    name: 'host',
    starts: ['word', 'number'],
    pattern: new RegExp(
      `(?<![\\w.-])(?:localhost(?=:\\d)|(?=[A-Za-z0-9-]{1,63}\\.)(?:(?!${REVERSED})(?:(?:${LABEL}\\.){1,8}(?:${TOP})(?![\\w-]|\\.\\w|/)|(?:${LABEL}\\.){2,8}[a-z]{2}(?![\\w-]|\\.\\w|/))|${LABEL}\\.(?!${SOURCE}:)[a-z]{2}(?=:\\d)))${PORT}(?!\\w)`,
    ),
    becomes: '<host>',
    reason: 'A host name: labels that end in a top-level domain, not a package that begins with one.',
  },
];

const METHOD = '(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|[Gg]et|[Hh]ead|[Pp]ost|[Pp]ut|[Pp]atch|[Dd]elete)';
/** Of interfaces, which no stranger guesses. */
const INTERFACE = '(?:api|rest|rpc|graphql|internal|v\\d{1,2})/';
const NOT_FOUND = '(?:404|[Nn]ot [Ff]ound|NOT_FOUND|No static resource)';
const NO_ROUTE = '(?:Cannot|[Nn]o (?:endpoint|handler found for|mapping for|route (?:found )?(?:for|matches)))';
const PATH_START = '/(?<![\\w.)\\]}<]/)';
const REST_OF_PATH = `(?:[^\\s"'<>|,;\`()]|<n>){0,1000}(?:[^\\s"'<>|,;\`().!:]|<n>)`;

const PATHS: readonly Omit<MessagePattern, 'name' | 'becomes'>[] = [
  {
    starts: ['word', 'mark'],
    pattern: /(?:[A-Za-z]:[\\/](?! |$)|\\\\[\w.$-]{1,64}\\)[^\s:*?"<>|,;'`()[\]{}]*/,
    reason: 'Folders differ between machines.',
  },
  {
    starts: ['mark'],
    pattern: /(?<![\w.)\]}<])\/(?![/*\s>])[^\s:?"<>|,;'`()[\]{}=]*[^\s:?"<>|,;'`()[\]{}=.!](?:\?[^\s"'<>()]{1,500})?/,
    reason: 'Folders and routes contain names and ids.',
  },
  {
    starts: ['mark'],
    pattern:
      /(?<![\w.)\]}<])(?:~|\.{1,2})\/(?![/*\s>])[^\s:?"<>|,;'`()[\]{}=]*[^\s:?"<>|,;'`()[\]{}=.!](?:\?[^\s"'<>()]{1,500})?/,
    reason: 'Paths relative to the working folder or the home folder.',
  },
  {
    starts: ['word', 'number'],
    pattern:
      /(?=[A-Za-z_.@%~/-]{0,120}\d)(?=[\d/.]{0,120}[A-Za-z_])[\w.@%~-]{1,120}\/(?:[\w.@%~-]{1,120}\/){0,20}[\w.@%~-]{0,120}[\w~-]|[\w@-][\w.@%~-]{0,120}(?:\/[\w.@%~-]{1,120}){2,20}(?<=\.[A-Za-z]{1,6})(?!\w)/,
    reason: 'Names joined by slashes are a path if one contains a digit or the last one has a file extension.',
  },
  {
    starts: ['word', 'number'],
    pattern:
      /[\w@-][\w.@%~-]{0,120}(?:\/[\w.@%~-]{0,120}|(?:\\[\w.@%~-]{1,120}){1,20})(?<=[\w-]\.[a-z]{1,5})(?![\w/\\]|\.\w)/,
    reason: 'With a file extension, one slash or backslash is enough.',
  },
  {
    starts: ['word', 'number'],
    pattern:
      /[\w@-][\w.@%~-]{0,120}\.(?:avif|bmp|gif|heic|ico|jpe?g|png|svg|tiff?|webp|docx?|odp|ods|odt|pdf|pptx?|rtf|txt|xlsx?|avro|csv|parquet|tsv|aac|flac|m4a|mp3|ogg|wav|avi|mkv|mov|mp4|webm|7z|bz2|gz|rar|tar|tgz|xz|zip|zst|bak|eml|part|tmp)(?![\w@/\\-]|\.\w)/,
    reason:
      'Images, documents, tables, audio, video and archives are data of a program, unlike its sources and settings.',
  },
];

/** Paths in a file system or on a server. */
export const PATH_PATTERNS: readonly MessagePattern[] = [
  {
    name: 'path',
    starts: ['mark'],
    pattern: new RegExp(`${PATH_START}${INTERFACE}${REST_OF_PATH}`),
    becomes: templateOfPath,
    reason: 'A route of an interface: its words say what was called, its ids do not.',
  },
  {
    name: 'path',
    starts: ['mark'],
    pattern: new RegExp(
      `${PATH_START}(?<=(?<!\\b${NO_ROUTE} )\\b(?:${METHOD}|[Rr]oute|[Ee]ndpoint|[Rr]equest(?: (?:to|for))?|[Cc]alling) /)(?<!\\b${NOT_FOUND}\\b.{0,80})(?!.{0,1200}\\b${NOT_FOUND}\\b)[\\w{:*]${REST_OF_PATH}`,
    ),
    becomes: templateOfPath,
    reason: 'A route that was called, unless it was not found: then it is often a guess of a stranger.',
  },
  ...PATHS.map((row) => ({ ...row, name: 'path', becomes: '<path>' })),
];
