import { type EventId, toEventId } from '../../../core/event/ids.js';
import type { JsonValue } from '../../../core/event/json.js';
import type { ScanExtent } from '../../../generated/reader-answers.js';
import { decodeMergedCursor, encodeMergedCursor, invalidMergedCursor } from './merged-cursor.js';

/** Progress of a search in one source. */
export interface SearchExtents {
  readonly scanned: ScanExtent;
  readonly total: ScanExtent;
}

/** Start of the next page of one source. */
export interface EventStart {
  /** Null for the first page. */
  readonly after: string | null;
  readonly isEnd: boolean;
  /** Absent before the first page, and for lists that are not searches. */
  readonly extents?: SearchExtents;
}

/** Start of the next page of merged events. */
export interface EventPosition {
  /** Id of one walk through the list, whose source pages are cached. */
  readonly listing: string;
  readonly starts: readonly EventStart[];
  /** The last listed event; null before the first. */
  readonly last: EventId | null;
}

/** Encodes a position as a cursor; `list` identifies the list. */
export function encodeEventPosition(list: string, { listing, starts, last }: EventPosition): string {
  const at = starts.map(({ after, isEnd, extents }): JsonValue => {
    if (extents === undefined) return [after, isEnd];
    const { scanned, total } = extents;
    return [after, isEnd, scanned.events, scanned.bytes, total.events, total.bytes];
  });
  return encodeMergedCursor(list, [listing, last, ...at]);
}

/** Decodes a cursor. Throws `CURSOR_INVALID`, also for a cursor of another list or number of sources. */
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
  return { after, isEnd, extents: { scanned: { events, bytes }, total: { events: allEvents, bytes: allBytes } } };
}
