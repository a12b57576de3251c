import { join } from 'node:path';
import type { EventId } from '../../event/ids.js';
import type { DataFolder, ReadableFile } from '../files/store-files.js';
import { createReadHandles } from '../record/io/file-handles.js';
import { parseEventId } from '../record/partitions/event-id.js';
import { listOriginFiles, ORIGINS_FOLDER } from './origin-files.js';
import { idOfKey, KEY_LENGTH, keyOfId } from './origin-line.js';

const BLOCK_BYTES = 1024 * 1024;
/** Clocks of two machines may differ by this many hours. */
const CLOCK_HOURS = 1;

/** Finds the id here of another collector's event, if it has one; reads 64 bytes for each event since the hour of the id. */
export async function findStoredId(folder: DataFolder, origin: EventId): Promise<EventId | undefined> {
  const hour = parseEventId(origin)?.hour;
  if (hour === undefined) return undefined;
  await using handles = createReadHandles(folder.files, 1);
  for (const file of await listOriginFiles(folder)) {
    if (file.hour < hour - CLOCK_HOURS) continue;
    const found = await findInFile(handles.file(join(folder.directory, ORIGINS_FOLDER, file.name)), keyOfId(origin));
    if (found !== undefined) return idOfKey(found);
  }
  return undefined;
}

/** Returns the key behind another one. */
async function findInFile(file: ReadableFile, key: string): Promise<string | undefined> {
  const length = 2 * KEY_LENGTH;
  for (let from = 0; ; from += BLOCK_BYTES) {
    // Blocks overlap, so that no pair is cut.
    const block = await file.read(from, BLOCK_BYTES + length);
    const at = block.indexOf(key, 0, 'latin1');
    if (at >= 0 && at + length <= block.length) return block.toString('latin1', at + KEY_LENGTH, at + length);
    if (block.length < BLOCK_BYTES + length) return undefined;
  }
}
