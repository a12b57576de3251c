import { join } from 'node:path';
import type { StoreFiles } from '../files/store-files.js';
import { foldersIn } from '../record/partitions/partition-path.js';

export const DEAD_LETTER_FOLDER = 'rejected';

export const DAY_MS = 86_400_000;

/** Returns the first millisecond of a UTC day. */
export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS;
}

/** Returns `<root>/rejected/<YYYY>/<MM>/<DD>`. */
export function folderOfDay(directory: string, dayMs: number): string {
  const [year = '', month = '', day = ''] = new Date(dayMs).toISOString().slice(0, 10).split('-');
  return join(directory, DEAD_LETTER_FOLDER, year, month, day);
}

/** Returns `rejected.ndjson` for the first file of a day, `rejected-1.ndjson` for the next one. */
export function deadLetterFileName(number: number): string {
  return number === 0 ? 'rejected.ndjson' : `rejected-${number}.ndjson`;
}

/** Returns the number of a file in its day; undefined for other files. */
function parseDeadLetterFileName(name: string): number | undefined {
  const match = /^rejected(?:-([1-9]\d{0,8}))?\.ndjson$/.exec(name);
  return match === null ? undefined : Number(match[1] ?? 0);
}

/** One file of dead letters. */
export interface DeadLetterFile {
  readonly path: string;
  /** First millisecond of its UTC day. */
  readonly dayMs: number;
  /** Index among the files of its day. */
  readonly number: number;
  bytes: number;
}

/** Lists the files of dead letters, oldest first; skips other files. */
export async function listDeadLetterFiles(files: StoreFiles, directory: string): Promise<DeadLetterFile[]> {
  const found: DeadLetterFile[] = [];
  let folders = [DEAD_LETTER_FOLDER];
  for (const _level of ['year', 'month', 'day']) folders = await foldersIn(files, directory, folders);
  for (const below of folders) {
    const dayMs = parseDay(below.slice(DEAD_LETTER_FOLDER.length + 1).replaceAll('/', '-'));
    if (dayMs === undefined) continue;
    const folder = join(directory, below);
    for (const { name, kind } of await files.list(folder)) {
      const number = kind === 'file' ? parseDeadLetterFileName(name) : undefined;
      if (number === undefined) continue;
      const path = join(folder, name);
      const stat = await files.stat(path);
      if (stat !== undefined) found.push({ path, dayMs, number, bytes: stat.bytes });
    }
  }
  return found.sort((a, b) => a.dayMs - b.dayMs || a.number - b.number);
}

/** Date.parse accepts February 31 as March 3, so the name must match the parsed date. */
function parseDay(date: string): number | undefined {
  const ms = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date) ? ms : undefined;
}
