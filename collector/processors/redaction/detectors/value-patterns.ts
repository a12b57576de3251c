import { checkedRe2, type Re2Pattern } from '../../event-processor/re2-pattern.js';
import type { Steps } from '../../event-processor/steps.js';
import { outsidePair } from './characters.js';

/** A range of a text in UTF-16 units; `end` is exclusive. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** Matches of one pattern in one text, because each can scan all that follows. */
const MAX_MATCHES = 1_000;
/** Units in which matches of one piece begin, and how far they extend beyond before a longer piece is searched. */
const STEP = 16 * 1024;
const OVERLAP = 8 * 1024;
const MAX_PIECE = 128 * 1024;
/** Units before a piece, for `^` and `\b`. */
const CONTEXT = 64;
const NONE: readonly TextSpan[] = Object.freeze([]);

/** What the rest of a text counts as if the bounds of its search are reached. */
type Beyond = 'matches' | 'does-not';

/** Finds the matches of an operator's patterns. */
export class SpanFinder {
  readonly #patterns: readonly Re2Pattern[];
  readonly #beyond: Beyond;

  /** Compiles the patterns. With `beyond: 'matches'` the rest of a text with more than 1,000 matches counts as a match. */
  constructor(patterns: readonly string[], beyond: Beyond) {
    this.#patterns = patterns.map(checkedRe2);
    this.#beyond = beyond;
  }

  find(text: string): readonly TextSpan[] {
    if (this.#patterns.length === 0) return NONE;
    return this.#patterns.flatMap((pattern) => spansOf(pattern, text, this.#beyond));
  }

  /**
   * `find` with pauses, for texts of any size: in one above 24 Ki units a match of more than 8,192 may be cut, and one of more than 128 Ki counts
   * as more than 1,000 matches.
   */
  *findInSteps(text: string): Steps<readonly TextSpan[]> {
    if (text.length <= STEP + OVERLAP) return this.find(text);
    const spans: TextSpan[] = [];
    for (const pattern of this.#patterns) spans.push(...(yield* new LongTextSearch(pattern, text, this.#beyond).run()));
    return spans;
  }
}

/** Searches a long text piece by piece. */
class LongTextSearch {
  readonly #pattern: Re2Pattern;
  readonly #text: string;
  readonly #beyond: Beyond;
  readonly #spans: TextSpan[] = [];
  /** Where the matches of the next piece begin. */
  #from = 0;
  #length = STEP + OVERLAP;
  #isOver = false;

  constructor(pattern: Re2Pattern, text: string, beyond: Beyond) {
    this.#pattern = pattern;
    this.#text = text;
    this.#beyond = beyond;
  }

  *run(): Steps<readonly TextSpan[]> {
    while (!this.#isOver && this.#from < this.#text.length) {
      this.#searchPiece();
      yield;
    }
    return this.#spans;
  }

  /** Matches begin in `STEP` units from `#from`; one that reaches the end of the piece is searched again in a longer piece. */
  #searchPiece(): void {
    const text = this.#text;
    const from = this.#from;
    const base = outsidePair(text, Math.max(0, from - CONTEXT));
    const reach = outsidePair(text, from + this.#length);
    const border = outsidePair(text, from + STEP);
    const matcher = this.#pattern.matcher(text.slice(base, reach));
    this.#from = border;
    for (let isMatch = matcher.find(from - base); isMatch; isMatch = matcher.find()) {
      const start = base + matcher.start();
      const end = base + matcher.end();
      if (start >= border) break;
      const isCutOff = end === reach && reach < text.length;
      if (this.#spans.length === MAX_MATCHES || (isCutOff && this.#length >= MAX_PIECE)) {
        this.#end(start);
        return;
      }
      if (isCutOff) {
        this.#from = start;
        this.#length *= 2;
        return;
      }
      if (end > start) this.#spans.push({ start, end });
      this.#from = Math.max(border, end);
    }
    this.#length = STEP + OVERLAP;
  }

  #end(start: number): void {
    if (this.#beyond === 'matches') this.#spans.push({ start, end: this.#text.length });
    this.#isOver = true;
  }
}

function spansOf(pattern: Re2Pattern, text: string, beyond: Beyond): readonly TextSpan[] {
  if (!pattern.test(text)) return NONE;
  const spans: TextSpan[] = [];
  const matcher = pattern.matcher(text);
  while (matcher.find()) {
    const start = matcher.start();
    if (spans.length === MAX_MATCHES) {
      if (beyond === 'matches') spans.push({ start, end: text.length });
      break;
    }
    const end = matcher.end();
    if (end > start) spans.push({ start, end });
  }
  return spans;
}
