import type { IndexContent } from '../index/content/index-content.js';
import { isIndexUnusable } from '../index/documents/index-fault.js';
import type { IndexSource } from '../index/index-source.js';
import type { EventRow } from '../index/segments/event-segment.js';
import type { FollowPosition } from './record-follower.js';

/** A row and the place right after it. */
export interface FollowedRow {
  readonly row: EventRow;
  readonly after: FollowPosition;
}

/**
 * Rows of the index after a position, in order of arrival: at most so many, and no more once they hold so many bytes. What the index holds is durable, and commits
 * enter it whole. A position of before what retention left stands for the first event after that. Rejects with `INDEX_UNUSABLE`.
 */
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
    const begin = segment.placeReceivedAt(fromMicros);
    let place = isFirst ? Math.min(begin + taken, segment.placeReceivedAt(fromMicros + 1)) : 0;
    if (isFirst) taken = place - begin;
    isFirst = false;
    for (let row = segment.row(place); row !== undefined; row = segment.row(place)) {
      if (rows.length >= maxEvents || (rows.length > 0 && bytes + row.bytes > maxBytes)) return rows;
      bytes += row.bytes;
      taken = row.receivedAtMicros === receivedAtMicros ? taken + 1 : 1;
      receivedAtMicros = row.receivedAtMicros;
      passed += 1;
      rows.push({ row, after: { receivedAtMicros, taken, passed } });
      place += 1;
    }
  }
  return rows;
}

/** Rows, and the content that they are of: their issues have other numbers in another one. */
export interface RowsAhead {
  readonly rows: readonly FollowedRow[];
  readonly content: IndexContent;
}

/** As `rowsAfter`, of what the index holds now, and once more where it could be mended meanwhile. `from` says where to begin, and is asked for each look. Rejects with `INDEX_UNUSABLE`. */
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
