import { join } from 'node:path';
import type { DataFolder } from '../files/store-files.js';
import { formatHour } from '../record/partitions/partition-path.js';

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
