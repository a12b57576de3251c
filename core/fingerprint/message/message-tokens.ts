/**
 * What a character is: `word` a letter, `_` or `$`; `number` a digit; `quote` a quote mark; `mark` one of `+ - . / \ ~ : = < > *`, a minus or currency
 * sign; `bracket` an opening bracket; `other` white space, punctuation and symbols.
 */
export type TokenKind = 'word' | 'number' | 'quote' | 'mark' | 'bracket' | 'other';

const ASCII_KINDS: readonly TokenKind[] = Array.from({ length: 128 }, (_, unit) =>
  asciiKind(String.fromCharCode(unit)),
);

function asciiKind(character: string): TokenKind {
  if (/[\w$]/.test(character)) return /\d/.test(character) ? 'number' : 'word';
  if (/["'`]/.test(character)) return 'quote';
  if (/[-+./\\~:=<>*]/.test(character)) return 'mark';
  return /[([{]/.test(character) ? 'bracket' : 'other';
}

/** Ranges of non-ASCII characters that are not letters; the first row that contains a character counts. */
const BEYOND_ASCII = (
  [
    ['«', '«', 'quote'],
    ['»', '»', 'quote'],
    ['\u2018', '\u201e', 'quote'],
    ['‹', '›', 'quote'],
    ['「', '』', 'quote'],
    ['£', '£', 'mark'],
    ['¥', '¥', 'mark'],
    ['€', '€', 'mark'],
    ['₹', '₹', 'mark'],
    ['−', '−', 'mark'],
    ['¡', '©', 'other'],
    ['¬', '´', 'other'],
    ['¶', '¹', 'other'],
    ['¼', '¿', 'other'],
    ['×', '×', 'other'],
    ['÷', '÷', 'other'],
    // Dashes, general punctuation, arrows and symbols.
    ['\u2010', '\u2017', 'other'],
    ['\u2020', '\u205e', 'other'],
    ['\u2190', '\u2bff', 'other'],
    ['\u3001', '\u3003', 'other'],
    ['\u3008', '\u3011', 'other'],
  ] as const
).map(([first, last, kind]) => ({ first: first.charCodeAt(0), last: last.charCodeAt(0), kind }));
const LAST_BEYOND_ASCII = Math.max(...BEYOND_ASCII.map(({ last }) => last));

/** The kind of the character at an index; `other` after the end. */
export function kindAt(text: string, at: number): TokenKind {
  if (at >= text.length) return 'other';
  const unit = text.charCodeAt(at);
  return ASCII_KINDS[unit] ?? kindBeyondAscii(unit);
}

function kindBeyondAscii(unit: number): TokenKind {
  if (unit > LAST_BEYOND_ASCII) return 'word';
  return BEYOND_ASCII.find(({ first, last }) => unit >= first && unit <= last)?.kind ?? 'word';
}

/** The end of the letters that begin at `start`. */
export function endOfWord(text: string, start: number): number {
  let end = start + 1;
  while (kindAt(text, end) === 'word') end++;
  return end;
}

/** Whether a quote mark follows a letter or a digit: then it is an apostrophe or a closing quote. */
export function isInWord(text: string, at: number): boolean {
  return at > 0 && text.charCodeAt(at - 1) < FIRST_CJK && isAlphanumeric(kindAt(text, at - 1));
}

/** Chinese, Japanese and Korean have no apostrophes, and no spaces before a quotation. */
const FIRST_CJK = 0x2e80;

function isAlphanumeric(kind: TokenKind): boolean {
  return kind === 'word' || kind === 'number';
}

/** Lower case; the lookbehind of a row with `isAnnounced` must contain one of these. */
export const ANNOUNCING_WORDS: ReadonlySet<string> = new Set(
  `status statuscode http httpstatus httpstatuscode response responsecode httpcode code errcode errorcode err_code error_code status_code
  response_code http_code exit_code error winerror sqlcode warning exit exited exitcode value signal errno rc sqlstate state user
  login account for bearer basic enotfound eai_again hresult ntstatus result lookup currency reason
  dev device disk`.split(/\s+/),
);
const LONGEST_ANNOUNCING_WORD = 14;
/** A faster test, because most words are none of these. */
const ANNOUNCING_INITIALS: ReadonlySet<string> = new Set(
  [...ANNOUNCING_WORDS].flatMap((word) => [word.charAt(0), word.charAt(0).toUpperCase()]),
);

/** Whether a word, in any case, announces a value. */
export function announcesValue(text: string, start: number, end: number): boolean {
  if (end - start > LONGEST_ANNOUNCING_WORD) return false;
  if (!ANNOUNCING_INITIALS.has(text.charAt(start))) return false;
  return ANNOUNCING_WORDS.has(text.slice(start, end).toLowerCase());
}

const CONNECTING_WORDS: ReadonlySet<string> = new Set(['is', 'of', 'was', 'with']);

/** Whether a word may stand between an announcing word and its value. */
export function isConnecting(text: string, start: number, end: number): boolean {
  return CONNECTING_WORDS.has(text.slice(start, end));
}

/** Whether a word may be, or begin, a value; plain words are none. */
export function mayBeValue(text: string, start: number, end: number): boolean {
  return (
    isEmptyMember(text, start, end) ||
    isCompound(text, end) ||
    isHexadecimal(text, start, end) ||
    isCalendarWordOrCurrency(text, start, end)
  );
}

const EMPTY: ReadonlySet<string> = new Set(['nil', 'None', 'null', 'Some', 'Ok', 'undefined']);

/** Whether a word is the value of a member `name: nil`; the next object may have another one there. */
function isEmptyMember(text: string, start: number, end: number): boolean {
  return text[start - 1] === ' ' && text[start - 2] === ':' && EMPTY.has(text.slice(start, end));
}

/** Characters of a hyphenated word that are searched for a digit. */
const MAX_HYPHENATED = 120;

/** Whether a word continues after its letters, with a digit or a mark that does not end a clause. */
function isCompound(text: string, end: number): boolean {
  const at = endOfHyphenated(text, end);
  const kind = kindAt(text, at);
  if (kind === 'number') return true;
  const sign = text.charAt(at);
  const mayJoin = kind === 'mark' ? !'=<>*'.includes(sign) : sign === '@' || sign === '%';
  return mayJoin && (isAlphanumeric(kindAt(text, at + 1)) || /[/\\:-]/.test(text.charAt(at + 1)));
}

/** The end of further words that hyphens join to one that ends at `end`. */
function endOfHyphenated(text: string, end: number): number {
  let at = end;
  while (text[at] === '-' && at < end + MAX_HYPHENATED && kindAt(text, at + 1) === 'word') at = endOfWord(text, at + 1);
  return at;
}

/** Shortest word of `a` to `f` that counts as a hexadecimal identifier without digits; also those of 2 and 4 letters, as in dumps. */
const SHORTEST_HEX_WORD = 8;
const HEX_WORD = /^[A-Fa-f]+$/;

function isHexadecimal(text: string, start: number, end: number): boolean {
  const length = end - start;
  if (length !== 2 && length !== 4 && length < SHORTEST_HEX_WORD) return false;
  return HEX_WORD.test(text.slice(start, end));
}

const CALENDAR_WORD = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)/;
const LONGEST_CALENDAR_WORD = 9;

function isCalendarWordOrCurrency(text: string, start: number, end: number): boolean {
  const length = end - start;
  const first = text.charAt(start);
  const isCapital = (first >= 'A' && first <= 'Z') || first === '$';
  if (length < 3 || length > LONGEST_CALENDAR_WORD || !isCapital) return false;
  const isCurrency = length === 3 && text[end] === ' ' && (kindAt(text, end + 1) === 'number' || text[end + 1] === 't');
  return isCurrency || CALENDAR_WORD.test(text.slice(start, end));
}
