import type { DetailBlock, DetailBlockKind } from '../format/event/detail-view.js';
import { findOffsets, MAX_HITS, type Needle } from '../text/find-text.js';
import { type WrappedRows, wrapRows } from '../text/wrapped-rows.js';

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

/** See `createPager`. */
export type Pager = ReturnType<typeof createPager>;

/** Creates a pager, a long text seen through a window that it always fills; only lines near the window are wrapped. */
export function createPager(blocks: readonly DetailBlock[]) {
  const lines = blocks.flatMap((block) => block.text.split('\n').map((text) => ({ text, block })));
  let cachedColumns = 0;
  let found: { needle: Needle; hits: readonly PagerHit[] } | undefined;
  const cached = new Map<number, { wrapped: WrappedRows; hang: number }>();

  function wrap(line: number, columns: number): { wrapped: WrappedRows; hang: number } {
    if (columns !== cachedColumns || cached.size >= MAX_CACHED_LINES) cached.clear();
    cachedColumns = columns;
    const known = cached.get(line);
    if (known !== undefined) return known;
    const { text, block } = lines[line] ?? { text: '', block: undefined };
    const hang = block === undefined ? 0 : hangOf(block, text, columns);
    const made = { wrapped: wrapRows(text, { firstCells: columns, restCells: columns - hang }), hang };
    cached.set(line, made);
    return made;
  }

  const rowsOf = (line: number, columns: number, atMost?: number): number => wrap(line, columns).wrapped.count(atMost);

  function rowAt(line: number, offset: number, columns: number): PagerPosition {
    const { wrapped } = wrap(line, columns);
    let row = 0;
    while ((wrapped.row(row)?.end ?? offset + 1) <= offset) row += 1;
    return { line, row };
  }

  function up(position: PagerPosition, rows: number, columns: number): PagerPosition {
    let { line, row } = position;
    let left = rows;
    while (left > row && line > 0) {
      left -= row + 1;
      line -= 1;
      row = rowsOf(line, columns) - 1;
    }
    return { line, row: Math.max(0, row - left) };
  }

  /** Moves down; undefined if the text ends first. */
  function down(position: PagerPosition, rows: number, columns: number): PagerPosition | undefined {
    let { line, row } = position;
    row += rows;
    for (;;) {
      const count = rowsOf(line, columns, row + 1);
      if (row < count) return { line, row };
      row -= count;
      line += 1;
      if (line >= lines.length) return undefined;
    }
  }

  /** The position that shows the last row at the bottom of the window. */
  function end({ columns, rows }: PagerView): PagerPosition {
    const line = lines.length - 1;
    return up({ line, row: rowsOf(line, columns) - 1 }, rows - 1, columns);
  }

  /** Moves down by `rows`, or up if negative. */
  function move(position: PagerPosition, rows: number, view: PagerView): PagerPosition {
    const { columns } = view;
    const moved = rows < 0 ? up(position, -rows, columns) : down(position, rows, columns);
    const isFull = moved !== undefined && down(moved, view.rows - 1, columns) !== undefined;
    return isFull ? moved : end(view);
  }

  return {
    lineCount: lines.length,
    end,
    move,
    /** Matches, in order. */
    find(needle: Needle): readonly PagerHit[] {
      if (found?.needle.text !== needle.text) found = { needle, hits: findInLines(lines, needle) };
      return found.hits;
    },
    /** The row of a match; it may lie below the last valid position. */
    rowOf: ({ line, offset }: PagerHit, { columns }: PagerView) => rowAt(line, offset, columns),
    /** The position in a window of another width that keeps the text of the first row. */
    reflow({ line, row }: PagerPosition, from: PagerView, to: PagerView): PagerPosition {
      const offset = wrap(line, from.columns).wrapped.row(row)?.start ?? 0;
      return move(rowAt(line, offset, to.columns), 0, to);
    },
    visibleRows(position: PagerPosition, view: PagerView): readonly PagerRow[] {
      const seen: PagerRow[] = [];
      let { line, row } = position;
      while (seen.length < view.rows && line < lines.length) {
        const { wrapped, hang } = wrap(line, view.columns);
        const range = wrapped.row(row);
        const { text, block } = lines[line] ?? { text: '', block: undefined };
        if (range === undefined || block === undefined) {
          line += 1;
          row = 0;
          continue;
        }
        seen.push({
          source: text.slice(range.start, range.end),
          start: range.start,
          margin: row === 0 ? 0 : hang,
          part: block.kind,
          labelCells: block.kind === 'pairs' ? hang : 0,
          line,
        });
        row += 1;
      }
      return seen;
    },
  };
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
