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

/** Compiles an operator's patterns. With `beyond: 'matches'` the rest of a text with more than 1,000 matches counts as a match. */
export function createSpanFinder(patterns: readonly string[], beyond: 'matches' | 'does-not') {
  const compiled = patterns.map(checkedRe2);
  return {
    find: (text: string): readonly TextSpan[] =>
      compiled.length === 0 ? NONE : compiled.flatMap((pattern) => spansOf(pattern, text, beyond)),
    /** `find` with pauses, for texts of any size: in one above 24 Ki units a match of more than 8,192 may be cut, and one of more than 128 Ki counts as more than 1,000 matches. */
    *findInSteps(text: string): Steps<readonly TextSpan[]> {
      const spans: TextSpan[] = [];
      for (const pattern of compiled) spans.push(...(yield* spansInSteps(pattern, text, beyond)));
      return spans;
    },
  };
}

function* spansInSteps(pattern: Re2Pattern, text: string, beyond: 'matches' | 'does-not'): Steps<readonly TextSpan[]> {
  const spans: TextSpan[] = [];
  if (text.length <= STEP + OVERLAP) return spansOf(pattern, text, beyond);
  let from = 0;
  let length = STEP + OVERLAP;
  while (from < text.length) {
    const base = outsidePair(text, Math.max(0, from - CONTEXT));
    const reach = outsidePair(text, from + length);
    const piece = text.slice(base, reach);
    const border = outsidePair(text, from + STEP);
    const matcher = pattern.matcher(piece);
    let next = border;
    let isCutOff = false;
    for (let is = matcher.find(from - base); is && !isCutOff; is = matcher.find()) {
      const start = base + matcher.start();
      const end = base + matcher.end();
      if (start >= border) break;
      isCutOff = end === reach && reach < text.length;
      if (spans.length === MAX_MATCHES || (isCutOff && length >= MAX_PIECE)) {
        if (beyond === 'matches') spans.push({ start, end: text.length });
        return spans;
      }
      if (end > start && !isCutOff) spans.push({ start, end });
      next = isCutOff ? start : Math.max(border, end);
    }
    from = next;
    length = isCutOff ? 2 * length : STEP + OVERLAP;
    yield;
  }
  return spans;
}

function spansOf(pattern: Re2Pattern, text: string, beyond: 'matches' | 'does-not'): readonly TextSpan[] {
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
