import { Fault } from '../event/fault.js';

/** Where the list of a source goes on: null at its first page, false at its end. */
export type SourceCursor = string | null | false;

/** Encodes the start of the next page of a merged list; `list` identifies the list. */
export function encodeMergedCursor(list: string, position: object): string {
  return Buffer.from(JSON.stringify([list, position])).toString('base64url');
}

/** Decodes a cursor. Throws `CURSOR_INVALID`, also for a cursor of another list or number of sources. */
export function decodeMergedCursor<Position extends { readonly starts: readonly unknown[] }>(
  list: string,
  cursor: string,
  sources: number,
): Position {
  try {
    const [name, position] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    // Only this process makes and reads it.
    if (name === list && position.starts.length === sources) return position;
  } catch {
    // Not a cursor of this process.
  }
  throw new Fault('CURSOR_INVALID', 'The cursor does not belong to this list; start again without one.');
}
