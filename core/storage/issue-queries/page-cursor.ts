import { hash } from 'node:crypto';
import { Fault } from '../../event/fault.js';
import { isJsonObject, type JsonValue, parseJson } from '../../event/json.js';

const MAX_CURSOR_LENGTH = 1_024;
const LIST_HASH_LENGTH = 12;

/** Encodes the position after which the next page begins. `list` identifies query, sort and the like. */
export function encodeCursor(list: readonly JsonValue[], position: readonly JsonValue[]): string {
  return Buffer.from(JSON.stringify({ list: listHash(list), place: position })).toString('base64url');
}

/** Decodes the position; throws `CURSOR_INVALID` for invalid text and for cursors of other lists. */
export function decodeCursor(list: readonly JsonValue[], cursor: string): unknown[] {
  if (cursor.length > MAX_CURSOR_LENGTH) throw invalidCursor();
  const value = parseJson(Buffer.from(cursor, 'base64url').toString('utf8'));
  if (!isJsonObject(value) || value['list'] !== listHash(list) || !Array.isArray(value['place'])) throw invalidCursor();
  return value['place'];
}

/** `CURSOR_INVALID`: the cursor is not from this list. */
export function invalidCursor(): Fault {
  return new Fault('CURSOR_INVALID', 'The cursor does not belong to this query and order. Start again without it.');
}

function listHash(list: readonly JsonValue[]): string {
  return hash('sha256', JSON.stringify(list), 'hex').slice(0, LIST_HASH_LENGTH);
}
const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;

/** Rows of a page: 1 to 500, default 50; other numbers are clamped. */
export function pageLimit(limit: number | undefined): number {
  if (limit === undefined || Number.isNaN(limit)) return DEFAULT_LIMIT;
  return Math.min(Math.max(Math.trunc(limit), 1), MAX_LIMIT);
}
