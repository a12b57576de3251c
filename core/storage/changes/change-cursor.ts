import { decodeCursor, encodeCursor, invalidCursor } from '../issue-queries/page-cursor.js';
import { isCount } from '../record/commits/commit-record.js';

/** Position up to which changes were reported; events and actions are not ordered relative to each other. */
export interface ChangeCursor {
  /** Id of the grouping plan, since issues differ between groupings; null without one. */
  readonly grouping: string | null;
  readonly eventsMicros: number;
  /** Time of the last action; 0 if none. */
  readonly actionsMicros: number;
}

const LIST = ['changes'];

/** Encodes the position as opaque text that stays valid across restarts. */
export function encodeChangeCursor({ grouping, eventsMicros, actionsMicros }: ChangeCursor): string {
  return encodeCursor(LIST, [grouping, eventsMicros, actionsMicros]);
}

/** Decodes a cursor; throws `CURSOR_INVALID`. */
export function decodeChangeCursor(cursor: string): ChangeCursor {
  const [grouping, eventsMicros, actionsMicros] = decodeCursor(LIST, cursor);
  if (!(grouping === null || typeof grouping === 'string')) throw invalidCursor();
  if (!isCount(eventsMicros, 0) || !isCount(actionsMicros, 0)) throw invalidCursor();
  return { grouping, eventsMicros, actionsMicros };
}

export function isSameCursor(a: ChangeCursor, b: ChangeCursor): boolean {
  return a.eventsMicros === b.eventsMicros && a.actionsMicros === b.actionsMicros && a.grouping === b.grouping;
}
