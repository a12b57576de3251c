import type { IndexContent } from '../index/content/index-content.js';
import { isIndexUnusable } from '../index/documents/index-fault.js';
import type { IndexSource } from '../index/index-source.js';
import type { EventRow } from '../index/segments/event-segment.js';
import type { FollowPosition } from './record-follower.js';

/** A row and the position after it. */
export interface FollowedRow {
  readonly row: EventRow;
  readonly after: FollowPosition;
}

/** Limits of a batch; it has at least one event. */
export interface RowBounds {
  readonly maxEvents: number;
  /** Of raw lines. */
  readonly maxBytes: number;
}

/** Returns rows after a position, up to both bounds but at least one; a removed position stands for the first one left. */
export async function rowsAfter(
  content: IndexContent,
  position: FollowPosition,
  { maxEvents, maxBytes }: RowBounds,
): Promise<FollowedRow[]> {
  const { segments, removed } = content;
  const isRemoved = position.receivedAtMicros < removed.beforeMicros;
  const fromMicros = isRemoved ? removed.beforeMicros : position.receivedAtMicros;
  let number = Math.max(segments.numberAt(fromMicros), segments.sealed.firstSegment);
  let segment = await segments.get(number);
  const begin = segment.rowIndexAt(fromMicros);
  let index = Math.min(begin + (isRemoved ? 0 : position.taken), segment.rowIndexAt(fromMicros + 1));
  let after: FollowPosition = { receivedAtMicros: fromMicros, taken: index - begin, passed: position.passed };
  let bytes = 0;
  const rows: FollowedRow[] = [];
  for (;;) {
    const row = segment.row(index);
    if (row === undefined) {
      if (number >= segments.open.number) return rows;
      number += 1;
      segment = await segments.get(number);
      index = 0;
      continue;
    }
    if (rows.length >= maxEvents || (rows.length > 0 && bytes + row.bytes > maxBytes)) return rows;
    bytes += row.bytes;
    after = positionAfter(after, row);
    rows.push({ row, after });
    index += 1;
  }
}

function positionAfter({ receivedAtMicros, taken, passed }: FollowPosition, row: EventRow): FollowPosition {
  const isSameInstant = row.receivedAtMicros === receivedAtMicros;
  return { receivedAtMicros: row.receivedAtMicros, taken: isSameInstant ? taken + 1 : 1, passed: passed + 1 };
}

/** Rows and their content: ordinals differ in another one. */
export interface RowsAhead {
  readonly rows: readonly FollowedRow[];
  readonly content: IndexContent;
}

/** As `rowsAfter` of the current content; retries after a recovery. `from` is called for each attempt. Rejects with `INDEX_UNUSABLE`. */
export async function readAhead(
  index: Pick<IndexSource, 'content' | 'recover'>,
  from: (content: IndexContent) => FollowPosition,
  bounds: RowBounds,
): Promise<RowsAhead> {
  for (;;) {
    const { content } = index;
    try {
      return { rows: await rowsAfter(content, from(content), bounds), content };
    } catch (error) {
      if (!isIndexUnusable(error) || !(await index.recover(error, content))) throw error;
    }
  }
}
