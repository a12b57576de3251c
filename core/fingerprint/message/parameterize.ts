import { announcesValue, endOfWord, isConnecting, isInWord, kindAt, mayBeValue } from './message-tokens.js';
import { INSIDE, type TokenStart } from './patterns/message-pattern.js';
import { createRowMatchers, LEAVE, type Match, type RowMatcher, type RowMatchers } from './row-matchers.js';

/** Replaces the values in one line of plain text (event/text.ts) by placeholders, equal ones in a row by one. Linear: one expression per token. */
export type Parameterizer = (text: string) => string;

/** Uses the rows except those that `off` names (`PATTERN_NAMES`; other names are ignored). The first texts compile them, in milliseconds: create it once. */
export function createParameterizer(off: ReadonlySet<string>): Parameterizer {
  const matchers = { plain: createRowMatchers(off, false), announced: createRowMatchers(off, true) };
  return (text) => withoutRepeatedGroups(new LineScan(matchers, text, 0).run());
}

/** All rows are on. */
export const parameterize: Parameterizer = createParameterizer(new Set());

/** Matches whenever `REPEATED` does; most texts have no such list. */
const MAY_REPEAT = /[)\]}] ?, ?[([{]/;
const REPEATED = /([([{][^()[\]{}]{1,200}[)\]}])(?:(?: ?, ?)\1)+/g;

/** Collapses equal bracketed groups in a row: rows of an INSERT, elements of a JSON list. */
function withoutRepeatedGroups(text: string): string {
  return MAY_REPEAT.test(text) ? text.replace(REPEATED, '$1') : text;
}

/** Characters between an announcing word and its value; connecting words extend it. */
const ANNOUNCEMENT_REACH = 3;
const LIST_GAP = /^[ ,;|]{1,3}$/;
const LONGEST_LIST_GAP = 3;
/** Levels of quotations that are parameterized. */
const MAX_NESTING = 2;

interface Matchers {
  readonly plain: RowMatchers;
  /** For tokens after an announcing word. */
  readonly announced: RowMatchers;
}

/** One pass over a line, or over a quotation in it. */
class LineScan {
  readonly #matchers: Matchers;
  readonly #text: string;
  readonly #nesting: number;
  #at = 0;
  /** The result for the text before `#copied`; it ends with the placeholder `#previous`. */
  #written = '';
  #copied = 0;
  #previous = '';
  /** Up to here, a token is announced by a word before it. */
  #announcedUntil = -1;

  constructor(matchers: Matchers, text: string, nesting: number) {
    this.#matchers = matchers;
    this.#text = text;
    this.#nesting = nesting;
  }

  run(): string {
    while (this.#at < this.#text.length) this.#readToken();
    return this.#written + this.#text.slice(this.#copied);
  }

  #readToken(): void {
    const text = this.#text;
    const start = this.#at;
    const kind = kindAt(text, start);
    if (kind === 'other') {
      this.#at++;
      return;
    }
    const isAnnounced = start <= this.#announcedUntil;
    const end = kind === 'word' ? endOfWord(text, start) : start + 1;
    if (kind === 'word') this.#readAnnouncement(start, end, isAnnounced);
    const match = isCandidate(text, kind, start, end, isAnnounced)
      ? this.#matchersOf(kind, isAnnounced).matchAt(text, start)
      : undefined;
    if (match === undefined) this.#at = end;
    else this.#apply(match, start);
  }

  /** A quotation may be a value that a word before its quote mark announces. */
  #matchersOf(kind: TokenStart, isAnnounced: boolean): RowMatcher {
    return (isAnnounced || kind === 'quote' ? this.#matchers.announced : this.#matchers.plain)[kind];
  }

  /** Announcing words make the next token a candidate for more rows. */
  #readAnnouncement(start: number, end: number, isAnnounced: boolean): void {
    if (announcesValue(this.#text, start, end) || (isAnnounced && isConnecting(this.#text, start, end))) {
      this.#announcedUntil = end + ANNOUNCEMENT_REACH;
    }
  }

  #apply({ becomes, end }: Match, start: number): void {
    this.#at = end;
    if (becomes === LEAVE) return;
    if (typeof becomes === 'string') this.#replace(becomes, start, end);
    else if (typeof becomes === 'function') this.#replace(becomes(this.#text.slice(start, end)), start, end);
    else {
      if (becomes === INSIDE) this.#replaceInside(start, end);
      this.#announcedUntil = end + ANNOUNCEMENT_REACH;
    }
  }

  /** Parameterizes what stands between the quotes at both ends. */
  #replaceInside(start: number, end: number): void {
    const inner = this.#text.slice(start + 1, end - 1);
    this.#written += this.#text.slice(this.#copied, start + 1);
    this.#written += this.#nesting < MAX_NESTING ? new LineScan(this.#matchers, inner, this.#nesting + 1).run() : inner;
    this.#copied = end - 1;
    this.#previous = '';
  }

  /** Writes a placeholder; one for equal values in a list, and for a value that is repeated in parentheses. */
  #replace(placeholder: string, start: number, end: number): void {
    const gap = this.#text.slice(this.#copied, Math.min(start, this.#copied + LONGEST_LIST_GAP + 1));
    const isRepeated = placeholder === this.#previous;
    if (isRepeated && LIST_GAP.test(gap)) this.#copied = end;
    else if (isRepeated && gap === ' (' && this.#text[end] === ')') this.#copied = this.#at = end + 1;
    else {
      this.#written += this.#text.slice(this.#copied, start) + placeholder;
      this.#copied = end;
      this.#previous = placeholder;
    }
  }
}

/** Whether a row can match at a token: not at most words, and not at a quote mark after a word, which is an apostrophe or closes a quotation. */
function isCandidate(text: string, kind: TokenStart, start: number, end: number, isAnnounced: boolean): boolean {
  if (kind === 'word') return isAnnounced || mayBeValue(text, start, end);
  return kind !== 'quote' || !isInWord(text, start);
}
