import {
  ANNOUNCING_WORDS,
  INSIDE,
  KEEP,
  type MessagePattern,
  type PatternStart,
} from './message-patterns/message-pattern.js';
import { MESSAGE_PATTERNS } from './message-patterns.js';
import { classOf, DIGIT, isCalendarWord, isCompound, isInWord, LETTER, MARK, QUOTE } from './message-tokens.js';

/** All rows that may begin in one way, as one sticky expression in which group n is row n. */
interface Matcher {
  readonly expression: RegExp;
  readonly rows: readonly MessagePattern[];
}

function matcherFor(start: PatternStart, isAnnounced: boolean): Matcher {
  const rows = MESSAGE_PATTERNS.filter(
    (row) => row.starts.includes(start) && (isAnnounced || row.isAnnounced !== true),
  );
  return { expression: new RegExp(rows.map((row) => `(${row.pattern.source})`).join('|'), 'y'), rows };
}

/** The rows for a token in plain surroundings, and those for a token shortly behind a word that announces something. */
const PLAIN = { word: matcherFor('word', false), number: matcherFor('number', false), mark: matcherFor('mark', false) };
const ANNOUNCED = {
  word: matcherFor('word', true),
  number: matcherFor('number', true),
  mark: matcherFor('mark', true),
};
const QUOTE_MATCHER = matcherFor('quote', true);

/** Characters between an announcing word and what it announces; the connecting words carry it on. */
const ANNOUNCEMENT_REACH = 3;
const LONGEST_ANNOUNCEMENT = 14;
const CONNECTING_WORDS: ReadonlySet<string> = new Set(['is', 'of', 'was', 'with']);

const LIST_GAP = /^[ ,;|]{1,3}$/;
/** A quotation in a quotation in a quotation stays as it is. */
const MAX_NESTING = 2;

/**
 * A message with every value replaced by a placeholder, so that two occurrences of one failure read the same. Equal placeholders in a row, as in a
 * list or in `18846 bytes (18.4 KB)`, become one.
 * Expects one line of plain text (see plain-text.ts). Each token is looked at once, with one expression for all rows, so the work is linear.
 */
export function parameterize(text: string): string {
  return parameterizeNested(text, 0);
}

function parameterizeNested(text: string, nesting: number): string {
  let out = '';
  // Everything before `copied` is in `out`; `previous` is the placeholder that stands at its end.
  let copied = 0;
  let previous = '';
  let announcedUntil = -1;
  let at = 0;
  while (at < text.length) {
    const kind = classOf(text.charCodeAt(at));
    const matchers = at <= announcedUntil ? ANNOUNCED : PLAIN;
    let next = at + 1;
    let matcher: Matcher | undefined;
    if (kind === LETTER) {
      while (next < text.length && classOf(text.charCodeAt(next)) === LETTER) next++;
      if (matchers === ANNOUNCED || isCompound(text, next) || isCalendarWord(text, at, next)) matcher = matchers.word;
      if (next - at <= LONGEST_ANNOUNCEMENT && announces(text.slice(at, next), matchers === ANNOUNCED)) {
        announcedUntil = next + ANNOUNCEMENT_REACH;
      }
    } else if (kind === DIGIT) matcher = matchers.number;
    else if (kind === MARK) matcher = matchers.mark;
    else if (kind === QUOTE && !isInWord(text, at)) matcher = QUOTE_MATCHER;

    const match = matcher === undefined ? null : matchAt(matcher, text, at);
    if (match === null) {
      at = next;
      continue;
    }
    at = match.end;
    if (match.becomes === KEEP) {
      announcedUntil = at + ANNOUNCEMENT_REACH;
      continue;
    }
    if (match.becomes === INSIDE) {
      const inner = text.slice(match.start + 1, match.end - 1);
      out += text.slice(copied, match.start + 1);
      out += nesting < MAX_NESTING ? parameterizeNested(inner, nesting + 1) : inner;
      copied = match.end - 1;
      previous = '';
      continue;
    }
    const gap = text.slice(copied, match.start);
    if (match.becomes === previous && LIST_GAP.test(gap)) copied = match.end;
    else if (match.becomes === previous && gap === ' (' && text[match.end] === ')') copied = at = match.end + 1;
    else {
      out += gap + match.becomes;
      copied = match.end;
      previous = match.becomes;
    }
  }
  return out + text.slice(copied);
}

interface RowMatch {
  readonly start: number;
  readonly end: number;
  readonly becomes: MessagePattern['becomes'];
}

function matchAt(matcher: Matcher, text: string, start: number): RowMatch | null {
  matcher.expression.lastIndex = start;
  const match = matcher.expression.exec(text);
  if (match === null || match[0] === '') return null;
  let group = 1;
  while (match[group] === undefined) group++;
  const row = matcher.rows[group - 1];
  return row === undefined ? null : { start, end: start + match[0].length, becomes: row.becomes };
}

function announces(word: string, isAnnounced: boolean): boolean {
  return ANNOUNCING_WORDS.has(word.toLowerCase()) || (isAnnounced && CONNECTING_WORDS.has(word));
}
