import { levelSeverity } from '../../core/event/level.js';
import { cellsOf, cutToCells, literal, neutralise, splitAtCells, type Visible } from './visible.js';

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
  /** Of the event; null if it has none. */
  readonly release: string | null;
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

/** Makes a line of pieces from outside. */
export function neutralisedLine(pieces: readonly { readonly text: string; readonly tone: Meaning }[]): Line {
  return pieces.map(({ text, tone }) => span(neutralise(text), tone));
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

/** Wraps a line at blanks, or anywhere if the second half of a row has none; rows after the first begin with `indent` blanks. */
export function wrapLine(line: Line, cells: number, indent = 0): Line[] {
  const margin = Math.max(0, Math.min(indent, cells - 8));
  const rows: Line[] = [];
  let row: Span[] = [];
  let room = cells;
  for (const piece of line) {
    let rest = piece.text;
    // Measures one row at a time: measuring the whole rest for every row would take quadratic time.
    while (!fits(rest, room)) {
      const [head, tail] = breakAt(rest, room, row.length === 0 ? 0 : cells - margin);
      if (head !== '') row.push({ ...piece, text: head });
      rows.push(row);
      row = margin === 0 ? [] : [words(' '.repeat(margin))];
      room = Math.max(1, cells - margin);
      rest = tail;
    }
    if (rest !== '') row.push({ ...piece, text: rest });
    room -= cellsOf(rest);
  }
  return [...rows, row];
}

/** Splits text into what fits and the rest, without the blank between. `nextCells` is 0 for an empty row; a word that fits the next row is not split. */
function breakAt(text: Visible, room: number, nextCells: number): readonly [Visible, Visible] {
  const mayBeEmpty = nextCells > 0;
  const [head, tail] = splitAtCells(text, Math.max(room, mayBeEmpty ? 0 : 1));
  if (head === '') return mayBeEmpty ? [head, text] : splitAtCells(text, 2);
  if (tail.startsWith(' ')) return [head, literal(tail.slice(1))];
  const blank = head.lastIndexOf(' ');
  if (blank > head.length / 2) return [literal(head.slice(0, blank)), literal(text.slice(blank + 1))];
  return blank < 0 && mayBeEmpty && firstWordFits(text, nextCells) ? [literal(''), text] : [head, tail];
}

function fits(text: Visible, cells: number): boolean {
  return splitAtCells(text, cells)[1] === '';
}

function firstWordFits(text: Visible, cells: number): boolean {
  const [head, tail] = splitAtCells(text, cells);
  return tail === '' || tail.startsWith(' ') || head.includes(' ');
}

/** A rule over the whole width with a name at its left and a hint at its right: `── 64175306 ──── p hides ──`. */
export function ruleLine(name: Visible, hint: string, cells: number): Line {
  const right = hint === '' ? '──' : ` ${hint} ──`;
  const between = Math.max(0, cells - cellsOf(name) - right.length - 4);
  return [words('── ', 'muted'), span(name), words(` ${'─'.repeat(between)}${right}`, 'muted')];
}
