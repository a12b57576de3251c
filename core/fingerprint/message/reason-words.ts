import { ANY_CODE, MAY_HOLD_CODE } from './codes.js';

/** Words without final `s` that the error messages of at least 20 packages (libraries of Go and Python, npm) use: no values of one program. */
const REASON_WORDS: ReadonlySet<string> = new Set(
  `absolute access action add added address after algorithm alias all allowed already an and another any append archive are arg argument array as async
  at attempt attempted attribute available bad base be because been before between binary bit block body bool boolean both bound buffer build but by
  byte cache call callable callback called can can't cannot change changed character check child class client close closed closing code command
  compatible condition config configuration connection contain content context convert copy could count counter create crypto current currently custom
  cycle data date decode default defined definition delete detected determine dict dictionary did different dir directory disabled do does doesn domain
  don duplicate during each either element empty enabled encoding encountered end enough entry environment equal error event exactly exceeded exceeds
  exception exist existing expected expecting expects explicit export expr expression extension extra failed failure false field file filename filter
  find first flag float following for form format found from full func function gen generate generator get given global go got greater group handle
  happen has hash have header host https id identifier if illegal image implement implemented import in include incompatible incomplete inconsistent
  incorrect index info init initial input inside install installed instance instead int integer interface internal interval into invalid is it item
  iterable json key keyword kind label large larger last least left len length less level like limit line list literal load local location log long
  longer loop make malformed many map mapping match matching max maximum may member message metadata method min mismatch mismatched missing mode module
  more most multi multiple must name named namespace need negative network never new next nil no node non none not null number object of offset old on
  once one only op open operation operator option or order other out output outside overflow package parameter parent parse parser parsing part pass
  passed path pattern platform please point pointer policy port position positional positive prefix present private process property protocol provide
  provided public python query random range reached read reader reading received record recursive reference reg region register registered relative
  remove replace request requested required requires reserved resolve resource response result return returned root rule run running runtime same scalar
  schema scheme second section see self sequence server service set setting short should signature simple single size slice small socket source
  specified specify stack start starting state statement status store str stream string sub subclass such sum supplied support supported sym symbol sync
  syntax system table tag takes target task template test text than that the there this time timeout to together token too trace tree tried true
  truncated try tuple two type uint unable undefined unexpected unhandled unknown unreachable unrecognized unsupported up update url use used user using
  valid validation value var variable version want was were when while width windows with without write writing wrong yet you zero`.split(
    /\s+/,
  ),
);

const WORDS = "\"[^\"\\s]{1,80}\"|'[^'\\s]{1,80}'|`[^`\\s]{1,80}`|<[\\w-]{1,20}>|[\\w$]+(?:[.'][\\w$]+)*";
/** Text in quotes, a placeholder, or a word; a name with dots or digits is one word. */
const TOKEN = new RegExp(WORDS, 'g');
const CODES = new RegExp(ANY_CODE.source, 'g');
const TOKEN_OR_CODE = new RegExp(`${ANY_CODE.source}|${WORDS}`, 'g');
const TYPE = /[a-z](?:Error|Exception)$/;
const QUOTES = '"\'`';
const QUOTED_CONSTANT = /^["'`][A-Z][A-Z\d]*(?:_[A-Z\d]+)+["'`]$/;
/** A number outside quotes and placeholders: what `parameterize` leaves of them are codes. */
const NUMBER = /^[\w$.']*\d/;

/** What tells two reasons of one function apart. */
export interface ReasonWords {
  /** Words in lower case and codes as written, in the order of the message. */
  readonly text: string;
  readonly hasWords: boolean;
  readonly hasCodes: boolean;
}

/** The words and codes that tell two reasons of one function apart; `keepsNames`: names of types and quoted names, parts of the program, too. */
export function reasonWords(message: string, keepsNames: boolean): ReasonWords {
  const codes = codesIn(message);
  const found: string[] = [];
  let [hasWords, hasCodes] = [false, false];
  for (const token of tokensOf(message, codes)) {
    const word = codes.has(token) ? undefined : wordOf(token, keepsNames);
    if (word !== undefined) hasWords = true;
    else if (isCode(token, codes)) hasCodes = true;
    else continue;
    found.push(word ?? token);
  }
  return { text: found.join(' '), hasWords, hasCodes };
}

const NONE: ReadonlySet<string> = new Set();

function codesIn(message: string): ReadonlySet<string> {
  return MAY_HOLD_CODE.test(message) ? new Set(message.match(CODES)) : NONE;
}

function tokensOf(message: string, codes: ReadonlySet<string>): readonly string[] {
  return message.match(codes.size === 0 ? TOKEN : TOKEN_OR_CODE) ?? [];
}

function wordOf(token: string, keepsNames: boolean): string | undefined {
  if (REASON_WORDS.has(token)) return token;
  if (QUOTES.includes(token.charAt(0)) || TYPE.test(token)) return keepsNames ? token : undefined;
  const word = token.toLowerCase();
  const stem = word.endsWith('s') && REASON_WORDS.has(word.slice(0, -1)) ? word.slice(0, -1) : word;
  return REASON_WORDS.has(stem) && token !== token.toUpperCase() ? stem : undefined;
}

/** Whether a token is a code, also in quotes, or a number that was kept. */
function isCode(token: string, codes: ReadonlySet<string>): boolean {
  if (!QUOTES.includes(token.charAt(0))) return codes.has(token) || NUMBER.test(token);
  return QUOTED_CONSTANT.test(token) || codes.has(token.slice(1, -1));
}

/** The word after one of these says what is the case: `is suspended`, `not reachable`. */
const BEFORE_PREDICATE: ReadonlySet<string> = new Set(
  'is are was were be been being not cannot never already still no went got'.split(' '),
);
/** Endings of verbs, adjectives and abstract nouns, which names of people, goods and companies rarely have. */
const VOCABULARY =
  /^[a-z]{2,30}(?:ed|ing|ions?|able|ible|ments?|less|ful|ity|ities|[ae]nce|[ae]ncy|line|ness|ive|ure|ify|ize)$/i;

/**
 * More words for a place without a name, which many failures may share: also the first word, predicates, and words with an ending of the
 * vocabulary. The others may be names. All of the message, if that finds less than two words.
 */
export function sentenceWords(message: string): string {
  const codes = codesIn(message);
  const found: string[] = [];
  let previous = '';
  for (const token of tokensOf(message, codes)) {
    const word = isCode(token, codes) ? token : wordOf(token, true);
    const counts = previous === '' || BEFORE_PREDICATE.has(previous) || VOCABULARY.test(token);
    if (word !== undefined || (counts && !token.startsWith('<'))) found.push(word ?? token.toLowerCase());
    previous = token.toLowerCase();
  }
  return found.length < MIN_REASON_WORDS ? message : found.join(' ');
}

/** Reason words that identify a cause. */
const MIN_REASON_WORDS = 2;

/** The reason words of the innermost errors in a chain `reading a: open b: permission denied`, as the outer ones depend on the caller; codes of all. */
export function rootReasonWords(message: string): ReasonWords {
  const parts = message.split(': ');
  const found: string[] = [];
  let [hasWords, hasCodes] = [false, false];
  let count = 0;
  for (let at = parts.length - 1; at >= 0; at--) {
    const part = parts[at] ?? '';
    const words = count < MIN_REASON_WORDS ? reasonWords(part, true) : outerCodes(part);
    if (words.text === '') continue;
    found.unshift(words.text);
    count += words.text.split(' ').length;
    hasWords ||= words.hasWords;
    hasCodes ||= words.hasCodes;
  }
  return { text: found.join(' '), hasWords, hasCodes };
}

function outerCodes(part: string): ReasonWords {
  const codes = codesIn(part);
  const text = tokensOf(part, codes)
    .filter((token) => isCode(token, codes))
    .join(' ');
  return { text, hasWords: false, hasCodes: text !== '' };
}
