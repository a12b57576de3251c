import { decodeCursor, encodeCursor, invalidCursor } from '../issue-queries/page-cursor.js';

/** Up to where changes were told. Events and actions become visible in the order of their own instants, but not in that of each other's. */
export interface ChangeCursor {
  /** What grouped the index: issues of another grouping are other issues. Null where nothing was ever said about it. */
  readonly grouping: string | null;
  /** Receipt of the last event, microseconds since the epoch. */
  readonly eventsMicros: number;
  /** Instant of the last action; 0 before the first. */
  readonly actionsMicros: number;
}

const LIST = ['changes'];

/** A place as text that nobody needs to understand; it holds over restarts. */
export function encodeChangeCursor({ grouping, eventsMicros, actionsMicros }: ChangeCursor): string {
  return encodeCursor(LIST, [grouping, eventsMicros, actionsMicros]);
}

/** The place in a cursor; throws `CURSOR_INVALID` for text that is none. */
export function decodeChangeCursor(cursor: string): ChangeCursor {
  const [grouping, eventsMicros, actionsMicros] = decodeCursor(LIST, cursor);
  if (!(grouping === null || typeof grouping === 'string')) throw invalidCursor();
  if (!isMicros(eventsMicros) || !isMicros(actionsMicros)) throw invalidCursor();
  return { grouping, eventsMicros, actionsMicros };
}

export function isSameCursor(one: ChangeCursor, other: ChangeCursor): boolean {
  return (
    one.eventsMicros === other.eventsMicros &&
    one.actionsMicros === other.actionsMicros &&
    one.grouping === other.grouping
  );
}

function isMicros(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
