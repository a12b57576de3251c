import { type EventId, toEventId } from '../../../core/event/ids.js';
import type { JsonValue } from '../../../core/event/json.js';
import type { ScanExtent } from '../../../generated/reader-answers.js';
import { decodeMergedCursor, encodeMergedCursor, invalidMergedCursor } from './merged-cursor.js';

/** How far a search came in one source. */
export interface SearchExtents {
  readonly scanned: ScanExtent;
  readonly total: ScanExtent;
}

/** Where the events of one source go on. */
export interface EventStart {
  /** Null at the beginning. */
  readonly after: string | null;
  readonly isEnd: boolean;
  /** Of what was read before; absent where nothing was, and where nothing is searched. */
  readonly extents?: SearchExtents;
}

/** Where the next page of merged events begins. */
export interface EventPosition {
  /** The listing that this page belongs to: pages that were read for it are not read again. */
  readonly listing: string;
  readonly starts: readonly EventStart[];
  /** The last event that was listed; null where none was. */
  readonly last: EventId | null;
}

/** The position as text; `list` names the list. */
export function encodeEventPosition(list: string, { listing, starts, last }: EventPosition): string {
  const at = starts.map(({ after, isEnd, extents }): JsonValue => {
    const numbers = extents && [...numbersOf(extents.scanned), ...numbersOf(extents.total)];
    return [after, isEnd, ...(numbers ?? [])];
  });
  return encodeMergedCursor(list, [listing, last, ...at]);
}

/** Throws `CURSOR_INVALID`, also for a cursor of another number of sources. */
export function decodeEventPosition(list: string, cursor: string, sources: number): EventPosition {
  const value = decodeMergedCursor(list, cursor);
  if (!Array.isArray(value) || value.length !== sources + 2) throw invalidMergedCursor();
  const [listing, id, ...at]: unknown[] = value;
  const last = typeof id === 'string' ? toEventId(id) : null;
  if (typeof listing !== 'string' || last === undefined) throw invalidMergedCursor();
  return { listing, last, starts: at.map(toStart) };
}

function toStart(value: unknown): EventStart {
  if (!Array.isArray(value)) throw invalidMergedCursor();
  const [after, isEnd, ...numbers]: unknown[] = value;
  if ((after !== null && typeof after !== 'string') || typeof isEnd !== 'boolean') throw invalidMergedCursor();
  const [events, bytes, allEvents, allBytes] = numbers.filter((number) => typeof number === 'number');
  if (events === undefined || bytes === undefined || allEvents === undefined || allBytes === undefined) {
    return { after, isEnd };
  }
  return {
    after,
    isEnd,
    extents: { scanned: { events, bytes }, total: { events: allEvents, bytes: allBytes } },
  };
}

function numbersOf({ events, bytes }: ScanExtent): number[] {
  return [events, bytes];
}
