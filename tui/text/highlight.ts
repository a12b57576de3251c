import { findOffsets, type Needle } from './find-text.js';
import { type Line, type Meaning, type Span, span } from './line.js';
import { literal, neutralise, splitAtCells } from './visible.js';

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
