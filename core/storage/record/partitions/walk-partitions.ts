import { join } from 'node:path';
import type { StoreFiles } from '../../files/store-files.js';
import { formatHour, LAST_HOUR, type Partition, parsePartitionFolder, RAW_FOLDER } from './partition-path.js';

const NAME_LEVELS = 3;
const DATE_LEVELS = 4;

/**
 * Lists the partitions on the disk, ordered by hour and folder; `from` and `to` are inclusive hours since the epoch, default all.
 * Opens only folders that may hold these hours, and skips names outside the layout.
 */
export async function walkPartitions(
  files: StoreFiles,
  directory: string,
  hours: { from?: number; to?: number } = {},
): Promise<Partition[]> {
  const from = formatHour(Math.min(hours.from ?? 0, LAST_HOUR));
  const to = formatHour(Math.min(hours.to ?? LAST_HOUR, LAST_HOUR));
  let folders = [RAW_FOLDER];
  for (let level = 1; level <= NAME_LEVELS + DATE_LEVELS; level += 1) {
    const below = await foldersIn(files, directory, folders);
    folders = level <= NAME_LEVELS ? below : below.filter((folder) => mayHold(dateOf(folder), from, to));
  }
  return folders
    .map(parsePartitionFolder)
    .filter((partition) => partition !== undefined)
    .sort((a, b) => a.hour - b.hour || (a.folder < b.folder ? -1 : 1));
}

/** The folders within some folders, all relative to `directory`. */
export async function foldersIn(files: StoreFiles, directory: string, folders: readonly string[]): Promise<string[]> {
  const below: string[] = [];
  for (const folder of folders) {
    for (const entry of await files.list(join(directory, folder))) {
      if (entry.kind === 'folder') below.push(`${folder}/${entry.name}`);
    }
  }
  return below;
}

/** The date within a folder, as far as it goes: `YYYY`, `YYYY/MM`, … */
function dateOf(folder: string): string {
  return folder
    .split('/')
    .slice(1 + NAME_LEVELS)
    .join('/');
}

function mayHold(date: string, from: string, to: string): boolean {
  return date >= from.slice(0, date.length) && date <= to.slice(0, date.length);
}
