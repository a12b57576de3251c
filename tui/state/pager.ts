import type { DetailBlock, DetailBlockKind } from '../format/event/detail-view.js';
import { findOffsets, MAX_HITS, type Needle } from '../text/find-text.js';
import { WrappedRows } from '../text/wrapped-rows.js';

/** The first visible row: a line of the text, and a row of the wrapped line. */
export interface PagerPosition {
  readonly line: number;
  readonly row: number;
}

export interface PagerRow {
  readonly part: DetailBlockKind;
  /** Cells of the label at its start. */
  readonly labelCells: number;
  readonly line: number;
  /** UTF-16 offset of the row in its line. */
  readonly start: number;
  /** The text of the row, not neutralised. */
  readonly source: string;
  /** Blanks of indentation before the text. */
  readonly margin: number;
}

/** A match of a search. */
export interface PagerHit {
  readonly line: number;
  /** UTF-16 offset in the line. */
  readonly offset: number;
}

export interface PagerView {
  readonly columns: number;
  readonly rows: number;
}

export const PAGER_START: PagerPosition = { line: 0, row: 0 };

const MAX_CACHED_LINES = 2_048;
/** Extra indentation of the continuation rows of JSON. */
const JSON_HANG = 4;
const LEADING_BLANKS = /^ */;

interface WrappedLine {
  readonly rows: WrappedRows;
  /** Indentation of the continuation rows. */
  readonly hang: number;
}

/** A long text seen through a window that it always fills; only lines near the window are wrapped. */
export class Pager {
  readonly #lines: readonly { readonly text: string; readonly block: DetailBlock }[];
  /** Wrapped lines by number, for one width. */
  readonly #wrapped = new Map<number, WrappedLine>();
  #wrappedColumns = 0;
  #search: { readonly needle: Needle; readonly hits: readonly PagerHit[] } | undefined;

  constructor(blocks: readonly DetailBlock[]) {
    this.#lines = blocks.flatMap((block) => block.text.split('\n').map((text) => ({ text, block })));
  }

  get lineCount(): number {
    return this.#lines.length;
  }

  /** The position that shows the last row at the bottom of the window. */
  end({ columns, rows }: PagerView): PagerPosition {
    const line = this.#lines.length - 1;
    return this.#up({ line, row: this.#wrap(line, columns).rows.count() - 1 }, rows - 1, columns);
  }

  /** Moves down by `rows`, or up if negative. */
  move(position: PagerPosition, rows: number, view: PagerView): PagerPosition {
    const { columns } = view;
    const moved = rows < 0 ? this.#up(position, -rows, columns) : this.#down(position, rows, columns);
    const isFull = moved !== undefined && this.#down(moved, view.rows - 1, columns) !== undefined;
    return isFull ? moved : this.end(view);
  }

  /** Matches, in order. */
  find(needle: Needle): readonly PagerHit[] {
    if (this.#search?.needle.text !== needle.text) {
      this.#search = { needle, hits: findInLines(this.#lines, needle) };
    }
    return this.#search.hits;
  }

  /** The row of a match; it may lie below the last valid position. */
  rowOf({ line, offset }: PagerHit, { columns }: PagerView): PagerPosition {
    const { rows } = this.#wrap(line, columns);
    let row = 0;
    while ((rows.row(row)?.end ?? offset + 1) <= offset) row += 1;
    return { line, row };
  }

  /** The position in a window of another width that keeps the text of the first row. */
  reflow({ line, row }: PagerPosition, from: PagerView, to: PagerView): PagerPosition {
    const offset = this.#wrap(line, from.columns).rows.row(row)?.start ?? 0;
    return this.move(this.rowOf({ line, offset }, to), 0, to);
  }

  visibleRows(position: PagerPosition, view: PagerView): readonly PagerRow[] {
    const visible: PagerRow[] = [];
    let { line, row } = position;
    while (visible.length < view.rows && line < this.#lines.length) {
      const pagerRow = this.#rowAt(line, row, view.columns);
      if (pagerRow === undefined) {
        line += 1;
        row = 0;
      } else {
        visible.push(pagerRow);
        row += 1;
      }
    }
    return visible;
  }

  /** Undefined after the last row of a line. */
  #rowAt(line: number, row: number, columns: number): PagerRow | undefined {
    const { rows, hang } = this.#wrap(line, columns);
    const range = rows.row(row);
    const source = this.#lines[line];
    if (range === undefined || source === undefined) return undefined;
    return {
      source: source.text.slice(range.start, range.end),
      start: range.start,
      margin: row === 0 ? 0 : hang,
      part: source.block.kind,
      labelCells: source.block.kind === 'pairs' ? hang : 0,
      line,
    };
  }

  #wrap(line: number, columns: number): WrappedLine {
    if (columns !== this.#wrappedColumns || this.#wrapped.size >= MAX_CACHED_LINES) this.#wrapped.clear();
    this.#wrappedColumns = columns;
    const cached = this.#wrapped.get(line);
    if (cached !== undefined) return cached;
    const { text, block } = this.#lines[line] ?? { text: '', block: undefined };
    const hang = block === undefined ? 0 : hangOf(block, text, columns);
    const wrapped = { rows: new WrappedRows(text, { firstCells: columns, restCells: columns - hang }), hang };
    this.#wrapped.set(line, wrapped);
    return wrapped;
  }

  #up(position: PagerPosition, rows: number, columns: number): PagerPosition {
    let { line, row } = position;
    let left = rows;
    while (left > row && line > 0) {
      left -= row + 1;
      line -= 1;
      row = this.#wrap(line, columns).rows.count() - 1;
    }
    return { line, row: Math.max(0, row - left) };
  }

  /** Moves down; undefined if the text ends first. */
  #down(position: PagerPosition, rows: number, columns: number): PagerPosition | undefined {
    let { line, row } = position;
    row += rows;
    while (line < this.#lines.length) {
      const count = this.#wrap(line, columns).rows.count(row + 1);
      if (row < count) return { line, row };
      row -= count;
      line += 1;
    }
    return undefined;
  }
}

function findInLines(lines: readonly { text: string }[], needle: Needle): readonly PagerHit[] {
  const hits: PagerHit[] = [];
  for (const [line, { text }] of lines.entries()) {
    if (hits.length >= MAX_HITS) break;
    for (const offset of findOffsets(text, needle, MAX_HITS - hits.length)) hits.push({ line, offset });
  }
  return hits;
}

function hangOf(block: DetailBlock, text: string, columns: number): number {
  const half = Math.floor(columns / 2);
  if (block.kind === 'pairs') return Math.min(block.labelCells, half);
  if (block.kind === 'json') return Math.min((LEADING_BLANKS.exec(text)?.[0].length ?? 0) + JSON_HANG, half);
  return 0;
}
