import { indexOfSelected, type PagedList } from '../state/paged-list.js';
import { type Column, tableLines } from '../text/columns.js';
import { type Line, span, words, wrapLine } from '../text/line.js';
import { cutToCells } from '../text/visible.js';

interface ListLook {
  readonly cells: number;
  /** Rows of the window below the headings. */
  readonly rows: number;
  /** Ids of marked rows; default: none. */
  readonly marked?: ReadonlySet<string>;
  /** Ids of muted rows; default: none. */
  readonly muted?: ReadonlySet<string>;
}

/** The headings and the visible rows of a list. */
export function listLines<Row>(
  list: PagedList<Row>,
  columns: readonly Column<Row>[],
  { cells, rows, marked, muted }: ListLook,
): Line[] {
  return tableLines(list.rows.slice(list.top, list.top + rows), columns, {
    cells,
    selected: indexOfSelected(list) - list.top,
    isMarked: (row) => marked?.has(list.kind.idOf(row)) === true,
    isMuted: (row) => muted?.has(list.kind.idOf(row)) === true,
  });
}

const MARGIN = 2;

/** Paragraphs, which may be text from outside, in place of an empty list or pane of `rows` rows. */
export function messageLines(text: readonly string[], columns: number, rows: number): Line[] {
  const cells = columns - MARGIN - 1;
  const lines = text.flatMap((paragraph) => {
    const shown = cutToCells(paragraph, cells * rows);
    return wrapLine([span(shown)], cells).map((line): Line => [words(' '.repeat(MARGIN)), ...line]);
  });
  return [[], ...lines].slice(0, rows);
}
