import { levelSeverity } from '../../core/normalize/level.js';
import { cellsOf, cutToCells, literal, type Visible } from './visible.js';

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
  /** Chosen for an action. */
  | 'marked'
  | 'match'
  /** A stack frame of the user's own code. */
  | 'in_app'
  | 'added'
  | 'removed'
  | 'bar'
  | 'tab'
  | 'tab_selected';

/** A place in a source file, as an event names it. */
export interface SourcePlace {
  readonly path: string;
  /** One-based, as the column. */
  readonly line: number;
  readonly column: number | null;
}

/** A piece of a line with one meaning. */
export interface Span {
  readonly text: Visible;
  readonly meaning: Meaning;
  /** The place that the text names, for a link. */
  readonly place?: SourcePlace;
}

/** One row before it is painted. */
export type Line = readonly Span[];

export function span(text: Visible, meaning: Meaning = 'plain'): Span {
  return { text, meaning };
}

/** Makes a span of a literal; never of text from outside. */
export function words(text: string, meaning: Meaning = 'plain'): Span {
  return span(literal(text), meaning);
}

export function lineCells(line: Line): number {
  return line.reduce((cells, { text }) => cells + cellsOf(text), 0);
}

/** Aligns two lines to the left and right edge; the left one is cut if they meet. */
export function spread(left: Line, right: Line, cells: number): Line {
  const room = Math.max(0, cells - lineCells(right));
  const kept = cutLine(left, room);
  return [...kept, words(' '.repeat(Math.max(0, room - lineCells(kept)))), ...right];
}

/** Cuts a line to at most `cells`. */
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

/** By severity; unknown levels come first. */
const LEVEL_MEANINGS: readonly Meaning[] = ['plain', 'muted', 'muted', 'info', 'warning', 'error', 'critical'];

/** As many lines as rows: more are left out, and missing ones are empty. */
export function withRows(lines: readonly Line[], rows: number): Line[] {
  return Array.from({ length: rows }, (_, row) => lines[row] ?? []);
}

/** The colour of a level; its name is always shown beside it. */
export function levelMeaning(level: string): Meaning {
  return LEVEL_MEANINGS[levelSeverity(level)] ?? 'plain';
}

const SHORT_LEVELS = ['', 'trace', 'debug', 'info', 'warn', 'error', 'crit'] as const;
const SHORT_LEVEL_LENGTH = 5;

/** The name of a level in lists, in five cells for any known one: `crit`, `error`, `warn`. */
function shortLevel(level: string): string {
  if (level === 'fatal') return level;
  return SHORT_LEVELS[levelSeverity(level)] || [...level].slice(0, SHORT_LEVEL_LENGTH).join('');
}

/** The cells of a column of levels. */
export const LEVEL_CELLS = {
  text: ({ level }: { readonly level: string }) => shortLevel(level),
  meaning: ({ level }: { readonly level: string }) => levelMeaning(level),
};
