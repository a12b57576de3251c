import { Fault } from '../../../core/event/fault.js';
import type { JsonValue } from '../../../core/event/json.js';

/** Encodes the start of the next page of a merged list; `list` identifies the list. */
export function encodeMergedCursor(list: string, position: JsonValue): string {
  return Buffer.from(JSON.stringify([list, position])).toString('base64url');
}

/** Returns the unchecked content of a cursor; throws `CURSOR_INVALID` if it does not belong to `list`. */
export function decodeMergedCursor(list: string, cursor: string): unknown {
  const value = parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  if (!Array.isArray(value) || value[0] !== list) throw invalidMergedCursor();
  return value[1];
}

export function invalidMergedCursor(): Fault {
  return new Fault('CURSOR_INVALID', 'The cursor does not belong to this list; start again without one.');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
