import type { RejectedPage, RejectedRecord } from '../../generated/reader-answers.js';
import type { EventListOptions } from '../contract/reader.js';
import { beginTimeSlice } from '../time-slice.js';
import { type DeadLetterPosition, readDeadLetters } from './dead-letters/read-dead-letters.js';
import type { DataFolder } from './files/store-files.js';
import { invalidCursor, pageLimit } from './issue-queries/page-cursor.js';

/** Bytes of lines after which a page ends, full or not, so that a query without matches reads no more either. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;
const CURSOR = /^(\d{15})-(\d{15})-(\d{15})$/;

/** Lists the dead letters of a folder; the cursor is the id of the last line that was read. Throws `CURSOR_INVALID`. */
export async function listRejected(
  folder: DataFolder,
  { query = '', limit, cursor }: EventListOptions = {},
): Promise<RejectedPage> {
  const words = query.toLowerCase().match(/\S+/g) ?? [];
  const before = cursor === undefined ? undefined : parseCursor(cursor);
  const page: RejectedPage = { rejected: [], next_cursor: null, damaged: 0 };
  const slice = beginTimeSlice();
  let readBytes = 0;
  let lastId = '';
  for await (const { position, bytes, record } of readDeadLetters({ ...folder, before })) {
    const isFull = page.rejected.length === pageLimit(limit) || readBytes >= MAX_PAGE_BYTES;
    if (isFull) return { ...page, next_cursor: lastId };
    if (slice.isOver) await slice.next();
    readBytes += bytes;
    lastId = idOf(position);
    if (record === undefined) page.damaged += 1;
    else if (holdsAll(record, words)) page.rejected.push({ ...record, id: lastId });
  }
  return page;
}

/** Ids of one time sort like their positions. */
function idOf(position: DeadLetterPosition): string {
  return position.map((number) => String(number).padStart(15, '0')).join('-');
}

function parseCursor(cursor: string): DeadLetterPosition {
  const [, dayMs, number, offset] = CURSOR.exec(cursor) ?? [];
  if (dayMs === undefined || number === undefined || offset === undefined) throw invalidCursor();
  return [Number(dayMs), Number(number), Number(offset)];
}

function holdsAll(record: RejectedRecord, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const { receiver, code, field, reason, payload, text = JSON.stringify(payload) } = record;
  const searched = [receiver, code, field, reason, text].join('\n').toLowerCase();
  return words.every((word) => searched.includes(word));
}
