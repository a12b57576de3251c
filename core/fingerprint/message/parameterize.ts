import { compileMatchers, LEAVE, type Matchers } from './message-matchers.js';
import {
  classAt,
  DIGIT,
  isCompound,
  isInWord,
  LETTER,
  mayBeValue,
  OTHER,
  QUOTE_MARK,
  type Stretch,
  scanStretch,
  TOKEN_CLASSES,
  WITH_SLASHES,
} from './message-tokens.js';
import { ANNOUNCING_WORDS, INSIDE, KEEP } from './patterns/message-pattern.js';

const LONGEST_ANNOUNCING_WORD = 14;
const LETTERS = 32;
/** Lengths of the announcing words by first letter, one bit per length. */
const LENGTHS = new Uint32Array(LETTERS);
for (const word of ANNOUNCING_WORDS) {
  const letter = word.charCodeAt(0) % LETTERS;
  LENGTHS[letter] = (LENGTHS[letter] ?? 0) | (1 << word.length);
}

/** Whether a word, in any case, announces a value. First letter and length rule out most words. */
function announces(text: string, start: number, end: number): boolean {
  const length = end - start;
  if (length > LONGEST_ANNOUNCING_WORD) return false;
  const unit = text.charCodeAt(start);
  // KELVIN SIGN is the only non-ASCII character with an ASCII lower case, and no announcing word begins with a k.
  if (unit > 0x7f || ((LENGTHS[unit % LETTERS] ?? 0) & (1 << length)) === 0) return false;
  return ANNOUNCING_WORDS.has(text.slice(start, end).toLowerCase());
}

const SPACE = 0x20;
const ENDS = ')]}';
const REPEATED = /([([{][^()[\]{}]{1,200}[)\]}])(?:(?: ?, ?)\1)+/g;

/** Collapses equal bracketed groups in a row: rows of an INSERT, elements of a JSON list. */
function withoutRepeatedGroups(text: string): string {
  return hasGroupBeforeComma(text) ? text.replace(REPEATED, '$1') : text;
}

function hasGroupBeforeComma(text: string): boolean {
  for (let at = text.indexOf(',', 1); at > 0; at = text.indexOf(',', at + 1)) {
    const last = text.charCodeAt(at - 1) === SPACE ? at - 2 : at - 1;
    if (last >= 0 && ENDS.includes(text.charAt(last))) return true;
  }
  return false;
}

/** Replaces the values in one line of plain text (event/text.ts) by placeholders, equal ones in a row by one; linear: one expression per token. */
export type Parameterizer = (text: string) => string;

interface Scanner {
  readonly plain: Matchers;
  readonly announced: Matchers;
}

/** Characters between an announcing word and its value; connecting words extend it. */
const ANNOUNCEMENT_REACH = 3;
const CONNECTING_WORDS: ReadonlySet<string> = new Set(['is', 'of', 'was', 'with']);
const LONGEST_CONNECTING_WORD = 4;

const LIST_GAP = /^[ ,;|]{1,3}$/;
const LONGEST_LIST_GAP = 3;
/** Levels of quotations that are parameterized. */
const MAX_NESTING = 2;

/** Uses the rows except those that `off` names (`PATTERN_NAMES`; other names are ignored). The first text compiles them, in milliseconds: create it once. */
export function createParameterizer(off: ReadonlySet<string>): Parameterizer {
  let scanner: Scanner | undefined;
  return (text) => {
    scanner ??= { plain: compileMatchers(off, false), announced: compileMatchers(off, true) };
    return withoutRepeatedGroups(scan(scanner, text, 0));
  };
}

/** All rows are on. */
export const parameterize: Parameterizer = createParameterizer(new Set());

function scan(scanner: Scanner, text: string, nesting: number): string {
  let out = '';
  // `out` holds the text before `copied` and ends with the placeholder `previous`.
  let copied = 0;
  let previous = '';
  let announcedUntil = -1;
  const stretch: Stretch = { shape: WITH_SLASHES, end: 0 };
  let at = 0;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    const kind = TOKEN_CLASSES[unit] ?? OTHER;
    if (kind === OTHER) {
      at++;
      continue;
    }
    const isAnnounced = at <= announcedUntil;
    const matchers = isAnnounced || kind === QUOTE_MARK ? scanner.announced : scanner.plain;
    let next = at + 1;
    let isTried = true;
    if (kind === LETTER) {
      while (classAt(text, next) === LETTER) next++;
      isTried = isAnnounced || isCompound(text, next) || mayBeValue(text, at, next);
      if (announces(text, at, next) || (isAnnounced && connects(text, at, next)))
        announcedUntil = next + ANNOUNCEMENT_REACH;
    } else if (kind === QUOTE_MARK) isTried = !isInWord(text, at);
    else if (kind !== DIGIT) isTried = mayBegin(matchers.pairs, unit, next < text.length ? text.charCodeAt(next) : 0);

    if (isTried && kind <= DIGIT && at >= stretch.end) scanStretch(stretch, text, at);
    const shape = kind <= DIGIT ? stretch.shape : WITH_SLASHES;
    const matcher = isTried ? (unit < 128 ? matchers.ascii[shape]?.[unit] : matchers.beyond[kind]) : undefined;
    const becomes = matcher?.becomesAt(text, at);
    if (matcher === undefined || becomes === undefined) {
      at = next;
      continue;
    }
    const start = at;
    const { end } = matcher;
    at = end;
    if (becomes === LEAVE) continue;
    if (becomes === KEEP) {
      announcedUntil = at + ANNOUNCEMENT_REACH;
      continue;
    }
    if (becomes === INSIDE) {
      const inner = text.slice(start + 1, end - 1);
      out += text.slice(copied, start + 1);
      out += nesting < MAX_NESTING ? scan(scanner, inner, nesting + 1) : inner;
      copied = end - 1;
      previous = '';
      announcedUntil = at + ANNOUNCEMENT_REACH;
      continue;
    }
    if (becomes === previous && isListGap(text, copied, start)) copied = end;
    else if (becomes === previous && text[end] === ')' && text.slice(copied, start) === ' (') copied = at = end + 1;
    else {
      out += text.slice(copied, start) + becomes;
      copied = end;
      previous = becomes;
    }
  }
  return out + text.slice(copied);
}

/** Whether a row can begin with a mark or a bracket and the character after it. */
function mayBegin(pairs: Uint8Array, unit: number, next: number): boolean {
  return unit > 127 || next > 127 || pairs[unit * 128 + next] === 1;
}

function isListGap(text: string, start: number, end: number): boolean {
  return end - start <= LONGEST_LIST_GAP && LIST_GAP.test(text.slice(start, end));
}

function connects(text: string, start: number, end: number): boolean {
  return end - start <= LONGEST_CONNECTING_WORD && CONNECTING_WORDS.has(text.slice(start, end));
}
