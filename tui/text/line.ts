import { cellsOf, cutToCells, ownWords, type Visible } from './visible.js';

/** Why a piece of text stands out; the theme decides how. */
export type Meaning =
  | 'plain'
  | 'muted'
  | 'strong'
  | 'selected'
  | 'heading'
  | 'label'
  | 'critical'
  | 'error'
  | 'warning'
  | 'info'
  | 'good'
  /** The selected row of a list that the keys do not go to. */
  | 'cursor_dim'
  /** A row that was chosen for an action. */
  | 'marked'
  /** What a search found. */
  | 'match'
  /** A stack frame of the person's own code. */
  | 'in_app'
  | 'json_key'
  | 'json_string'
  | 'json_number'
  | 'json_literal'
  /** The two sides of a comparison. */
  | 'added'
  | 'removed'
  /** Histograms and sparklines. */
  | 'bar'
  | 'bar_selected'
  | 'tab'
  | 'tab_selected';

/** A piece of a line with one meaning. */
export interface Span {
  readonly text: Visible;
  readonly meaning: Meaning;
}

/** One row before it is painted. */
export type Line = readonly Span[];

/** Makes a span of visible text. */
export function span(text: Visible, meaning: Meaning = 'plain'): Span {
  return { text, meaning };
}

/** Makes a span of words of our own; never of text that came from outside. */
export function words(text: string, meaning: Meaning = 'plain'): Span {
  return span(ownWords(text), meaning);
}

/** Cells of a line. */
export function lineCells(line: Line): number {
  return line.reduce((cells, { text }) => cells + cellsOf(text), 0);
}

/** A line with its left part at the left edge and its right part at the right one; the left part is cut when they meet. */
export function spread(left: Line, right: Line, cells: number): Line {
  const room = Math.max(0, cells - lineCells(right));
  const kept = cutLine(left, room);
  return [...kept, words(' '.repeat(Math.max(0, room - lineCells(kept)))), ...right];
}

/** A line of at most so many cells. */
export function cutLine(line: Line, cells: number): Line {
  const kept: Span[] = [];
  let room = cells;
  for (const piece of line) {
    if (room <= 0) break;
    const text = cutToCells(piece.text, room);
    kept.push({ ...piece, text });
    room -= cellsOf(text);
  }
  return kept;
}

const LEVEL_MEANINGS: ReadonlyMap<string, Meaning> = new Map([
  ['fatal', 'critical'],
  ['critical', 'critical'],
  ['error', 'error'],
  ['warning', 'warning'],
  ['warn', 'warning'],
  ['info', 'info'],
  ['debug', 'muted'],
  ['trace', 'muted'],
]);

/** What a level means to a reader; the word itself is always shown beside the colour. */
export function levelMeaning(level: string): Meaning {
  return LEVEL_MEANINGS.get(level.toLowerCase()) ?? 'plain';
}
