import { join } from 'node:path';
import type { EventId } from '../../event/ids.js';
import type { DataFolder, ReadableFile } from '../files/store-files.js';
import { ReadHandles } from '../record/io/file-handles.js';
import { parseEventId } from '../record/partitions/event-id.js';
import { formatHour } from '../record/partitions/partition-path.js';
import { idOfKey, KEY_LENGTH, keyOfId } from './origin-line.js';

/** In the data folder; exists only if another collector sends to this one. */
export const ORIGINS_FOLDER = 'origins';

const NAME = /^(\d{4})-(\d\d)-(\d\d)-(\d\d)\.ndjson$/;
const MS_PER_HOUR = 3_600_000;

/** Name of the file of an hour since the epoch. */
export function originFile(hour: number): string {
  return `${formatHour(hour).replaceAll('/', '-')}.ndjson`;
}

/** The files with their hours, the oldest first. */
export async function listOriginFiles({ files, directory }: DataFolder): Promise<{ name: string; hour: number }[]> {
  const entries = await files.list(join(directory, ORIGINS_FOLDER));
  return entries
    .flatMap(({ name }) => {
      const [, year, month, day, hour] = NAME.exec(name) ?? [];
      const ms = Date.parse(`${year}-${month}-${day}T${hour}:00:00Z`);
      return Number.isNaN(ms) ? [] : [{ name, hour: ms / MS_PER_HOUR }];
    })
    .sort((one, other) => one.hour - other.hour);
}

const BLOCK_BYTES = 1024 * 1024;
/** Clocks of two machines may differ by this many hours. */
const CLOCK_HOURS = 1;

/** Finds the id here of another collector's event, if it has one; reads 64 bytes for each event since the hour of the id. */
export async function findStoredId(folder: DataFolder, origin: EventId): Promise<EventId | undefined> {
  const hour = parseEventId(origin)?.hour;
  if (hour === undefined) return undefined;
  await using handles = new ReadHandles(folder.files, 1);
  for (const file of await listOriginFiles(folder)) {
    if (file.hour < hour - CLOCK_HOURS) continue;
    const key = await findInFile(handles.file(join(folder.directory, ORIGINS_FOLDER, file.name)), keyOfId(origin));
    if (key !== undefined) return idOfKey(key);
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
