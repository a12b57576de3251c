import { type Line, type Meaning, type Span, span } from './line.js';
import { literal, neutralise, splitAtCells } from './visible.js';

/** A search text. */
export interface Needle {
  /** In lower case unless `isExact`. */
  readonly text: string;
  /** Whether case matters: it was typed with a capital letter. */
  readonly isExact: boolean;
}

/** UTF-16 units; bounds the time of a search. */
const MAX_NEEDLE = 100;
/** Default limit of matches in one text. */
export const MAX_HITS = 10_000;

/** Makes a needle of what was typed; undefined if it is empty. */
export function toNeedle(typed: string): Needle | undefined {
  const text = typed.slice(0, MAX_NEEDLE);
  if (text === '') return undefined;
  return { text, isExact: toLowerCase(text) !== text };
}

/** Returns the UTF-16 offsets of at most `atMost` matches, which do not overlap. */
export function findOffsets(text: string, needle: Needle, atMost: number = MAX_HITS): number[] {
  const searched = needle.isExact ? text : toLowerCase(text);
  const found: number[] = [];
  let at = searched.indexOf(needle.text);
  while (at >= 0 && found.length < atMost) {
    found.push(at);
    at = searched.indexOf(needle.text, at + needle.text.length);
  }
  return found;
}

/** Lower case of the same length, so that offsets stay valid. */
function toLowerCase(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Gives every match of the needle the meaning `match`; the rest of the line keeps its meanings. */
export function highlight(line: Line, needle: Needle | undefined): Line {
  if (needle === undefined) return line;
  return line.flatMap((piece): Span[] => {
    const starts = findOffsets(piece.text, needle);
    if (starts.length === 0) return [piece];
    const pieces: Span[] = [];
    let from = 0;
    for (const start of starts) {
      if (start > from) pieces.push(span(literal(piece.text.slice(from, start)), piece.meaning));
      from = start + needle.text.length;
      pieces.push(span(literal(piece.text.slice(start, from)), 'match'));
    }
    if (from < piece.text.length) pieces.push(span(literal(piece.text.slice(from)), piece.meaning));
    return pieces;
  });
}

export interface MarkedRange {
  /** UTF-16 offsets in the text. */
  readonly start: number;
  readonly end: number;
  readonly meaning: Meaning;
}

/** A row of text from outside with marked ranges, which ascend and may begin before it or end after it. */
export function markedRow(source: string, meaning: Meaning, ranges: readonly MarkedRange[]): Line {
  const pieces: Span[] = [];
  let from = 0;
  for (const range of ranges) {
    const start = Math.max(from, range.start);
    const end = Math.min(source.length, range.end);
    if (end <= start) continue;
    if (start > from) pieces.push(span(neutralise(source.slice(from, start)), meaning));
    pieces.push(span(neutralise(source.slice(start, end)), range.meaning));
    from = end;
  }
  if (from < source.length) pieces.push(span(neutralise(source.slice(from)), meaning));
  return pieces;
}

/** Gives the first cells of a line another meaning, except for matches. */
export function labelled(line: Line, cells: number, meaning: Meaning): Line {
  let left = cells;
  return line.flatMap((piece): Span[] => {
    if (left <= 0) return [piece];
    const [label, rest] = splitAtCells(piece.text, left);
    left = rest === '' ? left - label.length : 0;
    return [
      span(label, piece.meaning === 'match' ? 'match' : meaning),
      ...(rest === '' ? [] : [span(rest, piece.meaning)]),
    ];
  });
}
