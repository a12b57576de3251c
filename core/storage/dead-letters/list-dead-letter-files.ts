import { join } from 'node:path';
import type { FolderEntry, StoreFiles } from '../files/store-files.js';

/** Folder of the dead letters in a data folder, design section 3. */
export const REJECTED_FOLDER = 'rejected';

export const DAY_MS = 86_400_000;

/** The UTC day in which an instant lies: its first millisecond. */
export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS;
}

/** `<root>/rejected/<YYYY>/<MM>/<DD>` of a day. */
export function folderOfDay(directory: string, dayMs: number): string {
  const [year = '', month = '', day = ''] = new Date(dayMs).toISOString().slice(0, 10).split('-');
  return join(directory, REJECTED_FOLDER, year, month, day);
}

/** `rejected.ndjson` is the first file of its day, `rejected-1.ndjson` the next one. */
export function deadLetterFileName(number: number): string {
  return number === 0 ? 'rejected.ndjson' : `rejected-${number}.ndjson`;
}

/** The number of a file in its day; undefined for files of others. */
function parseDeadLetterFileName(name: string): number | undefined {
  const match = /^rejected(?:-([1-9]\d{0,8}))?\.ndjson$/.exec(name);
  return match === null ? undefined : Number(match[1] ?? 0);
}

/** One file of dead letters. */
export interface DeadLetterFile {
  readonly path: string;
  /** First millisecond of its UTC day. */
  readonly dayMs: number;
  /** Place among the files of its day, from 0. */
  readonly number: number;
  bytes: number;
}

/** All files of dead letters in a data folder, oldest first; what others put there is passed over. */
export async function listDeadLetterFiles(files: StoreFiles, directory: string): Promise<DeadLetterFile[]> {
  const found: DeadLetterFile[] = [];
  for (const dayMs of await listDays(files, join(directory, REJECTED_FOLDER))) {
    const folder = folderOfDay(directory, dayMs);
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

async function listDays(files: StoreFiles, root: string): Promise<number[]> {
  const days: number[] = [];
  for (const year of foldersOf(await files.list(root), /^\d{4}$/)) {
    for (const month of foldersOf(await files.list(join(root, year)), /^\d\d$/)) {
      for (const day of foldersOf(await files.list(join(root, year, month)), /^\d\d$/)) {
        const ms = parseDay(`${year}-${month}-${day}`);
        if (ms !== undefined) days.push(ms);
      }
    }
  }
  return days;
}

/** Date.parse takes February 31 for March 3; only the name that we write is one of ours. */
function parseDay(date: string): number | undefined {
  const ms = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date) ? ms : undefined;
}

function foldersOf(entries: readonly FolderEntry[], shape: RegExp): string[] {
  return entries.filter(({ name, kind }) => kind === 'folder' && shape.test(name)).map(({ name }) => name);
}
