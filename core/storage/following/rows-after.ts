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

/** Returns rows after a position, up to both bounds but at least one; a removed position stands for the first one left. */
export async function rowsAfter(
  content: IndexContent,
  position: FollowPosition,
  { maxEvents, maxBytes }: { readonly maxEvents: number; readonly maxBytes: number },
): Promise<FollowedRow[]> {
  const { segments } = content;
  const { beforeMicros } = content.removed;
  const isRemoved = position.receivedAtMicros < beforeMicros;
  const fromMicros = isRemoved ? beforeMicros : position.receivedAtMicros;
  let { taken, receivedAtMicros, passed } = isRemoved ? { ...position, taken: 0 } : position;
  const rows: FollowedRow[] = [];
  let bytes = 0;
  let isFirst = true;
  for (
    let number = Math.max(segments.numberAt(fromMicros), segments.sealed.firstSegment);
    number <= segments.open.number;
    number += 1
  ) {
    const segment = await segments.get(number);
    const begin = segment.rowIndexAt(fromMicros);
    let index = isFirst ? Math.min(begin + taken, segment.rowIndexAt(fromMicros + 1)) : 0;
    if (isFirst) taken = index - begin;
    isFirst = false;
    for (let row = segment.row(index); row !== undefined; row = segment.row(index)) {
      if (rows.length >= maxEvents || (rows.length > 0 && bytes + row.bytes > maxBytes)) return rows;
      bytes += row.bytes;
      taken = row.receivedAtMicros === receivedAtMicros ? taken + 1 : 1;
      receivedAtMicros = row.receivedAtMicros;
      passed += 1;
      rows.push({ row, after: { receivedAtMicros, taken, passed } });
      index += 1;
    }
  }
  return rows;
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
  bounds: { readonly maxEvents: number; readonly maxBytes: number },
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
