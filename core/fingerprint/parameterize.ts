import { LEAVE } from './message-matcher.js';
import { compileMatchers, type Matchers } from './message-matchers.js';
import {
  ANNOUNCING_WORDS,
  ANNOUNCING_WORDS_SINCE_2,
  INSIDE,
  KEEP,
  type PatternVersion,
} from './message-patterns/message-pattern.js';
import { readStretch, type Stretch, WITH_SLASHES } from './message-shapes.js';
import { classAt, DIGIT, isInWord, LETTER, OTHER, QUOTE, type TokenClasses, tokenClasses } from './message-tokens.js';
import { countedNoun } from './singular.js';
import { isCalendarWord, isCompound, mayBeValue } from './word-shapes.js';

/** Tells whether a word of a text, in any case, announces a value. */
type Announces = (text: string, start: number, end: number) => boolean;

const LONGEST = 14;
const LETTERS = 32;

/** Builds the question for a version. Most words are refused by first letter and length alone. */
function announcesIn(version: PatternVersion): Announces {
  const words = new Set([...ANNOUNCING_WORDS, ...(version > 1 ? ANNOUNCING_WORDS_SINCE_2 : [])]);
  // By letter of the alphabet, one bit for each length.
  const lengths = new Uint32Array(LETTERS);
  for (const word of words) {
    const letter = word.charCodeAt(0) % LETTERS;
    lengths[letter] = (lengths[letter] ?? 0) | (1 << word.length);
  }
  return (text, start, end) => {
    const length = end - start;
    if (length > LONGEST) return false;
    const unit = text.charCodeAt(start);
    // KELVIN SIGN is the one character beyond ASCII whose small letter is ASCII, and no word begins with a k.
    if (unit > 0x7f || ((lengths[unit % LETTERS] ?? 0) & (1 << length)) === 0) return false;
    return words.has(text.slice(start, end).toLowerCase());
  };
}

const SPACE = 0x20;
const ENDS = ')]}';
const REPEATED = /([([{][^()[\]{}]{1,200}[)\]}])(?:(?: ?, ?)\1)+/g;

/** A text in which equal bracketed groups in a row have become one: rows of an INSERT, elements of a JSON list. */
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

/**
 * Gives a message with every value replaced by a placeholder, so that two occurrences of one failure read the same. Equal placeholders in a row, as in
 * a list or in `18846 bytes (18.4 KB)`, become one.
 * Expects one line of plain text (see plain-text.ts). Each token is looked at once, with one expression for all rows that can begin there, so the work is linear.
 */
export type Parameterizer = (text: string) => string;

/** Which rows of the table count. */
export interface ParameterizerOptions {
  readonly version: PatternVersion;
  /** Names of `PATTERN_NAMES` that are switched off; others are ignored. */
  readonly off: ReadonlySet<string>;
}

/** What one version of the rules looks at, compiled. */
interface Scanner {
  readonly version: PatternVersion;
  readonly classes: TokenClasses;
  readonly announces: Announces;
  readonly plain: Matchers;
  readonly announced: Matchers;
}

/** Characters between an announcing word and what it announces; the connecting words carry it on. */
const ANNOUNCEMENT_REACH = 3;
const CONNECTING_WORDS: ReadonlySet<string> = new Set(['is', 'of', 'was', 'with']);
const LONGEST_CONNECTING_WORD = 4;

const LIST_GAP = /^[ ,;|]{1,3}$/;
const LONGEST_LIST_GAP = 3;
/** A quotation in a quotation in a quotation stays as it is. */
const MAX_NESTING = 2;

/** Compiles the table for a version, without the rows that are off. Takes two to three milliseconds, and what it compiles on its first messages: build it once. */
export function createParameterizer({ version, off }: ParameterizerOptions): Parameterizer {
  const classes = tokenClasses(version);
  const scanner: Scanner = {
    version,
    classes,
    announces: announcesIn(version),
    plain: compileMatchers(version, off, classes, false),
    announced: compileMatchers(version, off, classes, true),
  };
  if (version === 1) return (text) => scan(scanner, text, 0);
  return (text) => withoutRepeatedGroups(scan(scanner, text, 0));
}

/** The newest version with nothing switched off. */
export const parameterize: Parameterizer = createParameterizer({ version: 2, off: new Set() });

function scan(scanner: Scanner, text: string, nesting: number): string {
  const { version, classes, announces } = scanner;
  let out = '';
  // Everything before `copied` is in `out`; `previous` is the placeholder that stands at its end.
  let copied = 0;
  let previous = '';
  let announcedUntil = -1;
  const stretch: Stretch = { shape: WITH_SLASHES, end: 0 };
  let at = 0;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    const kind = classes[unit] ?? OTHER;
    if (kind === OTHER) {
      at++;
      continue;
    }
    const isAnnounced = at <= announcedUntil;
    const matchers = isAnnounced || kind === QUOTE ? scanner.announced : scanner.plain;
    let next = at + 1;
    let isTried = true;
    if (kind === LETTER) {
      while (classAt(classes, text, next) === LETTER) next++;
      isTried =
        isAnnounced ||
        isCompound(classes, text, next) ||
        (version === 1 ? isCalendarWord(text, at, next) : mayBeValue(classes, text, at, next));
      if (announces(text, at, next) || (isAnnounced && connects(text, at, next)))
        announcedUntil = next + ANNOUNCEMENT_REACH;
    } else if (kind === QUOTE) isTried = !isInWord(classes, text, at);
    else if (kind !== DIGIT) isTried = mayBegin(matchers.pairs, unit, next < text.length ? text.charCodeAt(next) : 0);

    if (isTried && kind <= DIGIT && at >= stretch.end) readStretch(stretch, text, at);
    const shape = kind <= DIGIT ? stretch.shape : WITH_SLASHES;
    const matcher = isTried ? (unit < 128 ? matchers.ascii[shape]?.[unit] : matchers.beyond[kind]) : undefined;
    const row = matcher?.rowAt(text, at);
    if (matcher === undefined || row === undefined) {
      at = next;
      continue;
    }
    const { becomes, isCount } = row;
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
      if (version > 1) announcedUntil = at + ANNOUNCEMENT_REACH;
      continue;
    }
    if (becomes === previous && isListGap(text, copied, start)) copied = end;
    else if (becomes === previous && text[end] === ')' && text.slice(copied, start) === ' (') copied = at = end + 1;
    else {
      out += text.slice(copied, start) + becomes;
      copied = end;
      previous = becomes;
    }
    const noun = isCount ? countedNoun(text, end) : null;
    if (noun !== null) {
      out += noun.singular;
      copied = at = noun.end;
      previous = '';
    }
  }
  return out + text.slice(copied);
}

/** Whether a row can begin with a mark or a bracket and the character behind it. */
function mayBegin(pairs: Uint8Array, unit: number, next: number): boolean {
  return unit > 127 || next > 127 || pairs[unit * 128 + next] === 1;
}

function isListGap(text: string, start: number, end: number): boolean {
  return end - start <= LONGEST_LIST_GAP && LIST_GAP.test(text.slice(start, end));
}

function connects(text: string, start: number, end: number): boolean {
  return end - start <= LONGEST_CONNECTING_WORD && CONNECTING_WORDS.has(text.slice(start, end));
}
