import type { EventRow } from '../index/event-segment.js';
import type { IndexContent } from '../index/index-content.js';
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
