import { Fault } from '../../../core/event/fault.js';
import type { JsonValue } from '../../../core/event/json.js';

/** Writes where the next page of a merged list begins; `list` names the list, so that a cursor of another one is told. */
export function encodeMergedCursor(list: string, position: JsonValue): string {
  return Buffer.from(JSON.stringify([list, position])).toString('base64url');
}

/** What a cursor of that list holds, not yet looked at; throws `CURSOR_INVALID` for text that is none. */
export function decodeMergedCursor(list: string, cursor: string): unknown {
  const value = parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  if (!Array.isArray(value) || value[0] !== list) throw invalidMergedCursor();
  return value[1];
}

/** `CURSOR_INVALID`: a cursor that no page of this list gave. */
export function invalidMergedCursor(): Fault {
  return new Fault('CURSOR_INVALID', 'The cursor belongs to no page of this list; start again without one.');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
