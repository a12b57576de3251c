import { hash } from 'node:crypto';
import { Fault } from '../event/fault.js';
import { isJsonObject, type JsonValue, parseJson } from '../event/json.js';

/** Where the list of a source goes on: null at its first page, false at its end. */
export type SourceCursor = string | null | false;

const HASH_LENGTH = 12;

/** Identifies a list of some sources in its cursors. */
export function listKey(list: readonly string[], sources: readonly { readonly name: string }[]): string {
  return hash('sha256', JSON.stringify([list, sources.map(({ name }) => name)]), 'hex').slice(0, HASH_LENGTH);
}

/** Encodes the start of the next page of a merged list, whose key is `listKey`. */
export function encodeMergedCursor(key: string, position: object): string {
  return Buffer.from(JSON.stringify([key, position])).toString('base64url');
}

/** Decodes a cursor. Throws `CURSOR_INVALID`, also for a cursor of another list or of other sources. */
export function decodeMergedCursor<Position extends { readonly starts: readonly unknown[] }>(
  key: string,
  cursor: string,
  sources: number,
): Position {
  const value = parseJson(Buffer.from(cursor, 'base64url').toString('utf8'));
  if (Array.isArray(value) && value[0] === key && isPosition(value[1], sources))
    return value[1] as Position & JsonValue;
  throw new Fault('CURSOR_INVALID', 'The cursor does not belong to this list; start again without one.');
}

/** Clients may send anything as a cursor, so the parts that the lists rely on are checked. */
function isPosition(value: JsonValue | undefined, sources: number): boolean {
  if (!isJsonObject(value) || !Array.isArray(value['starts']) || value['starts'].length !== sources) return false;
  const { starts, shown = '', last = '' } = value;
  const cursors = starts.map((start) => (isJsonObject(start) ? start['after'] : start) ?? false);
  return (
    [shown, last].every((text) => typeof text === 'string') &&
    cursors.every((one) => one === false || typeof one === 'string')
  );
}
