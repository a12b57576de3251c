import { join } from 'node:path';

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
export function rejectedFileName(number: number): string {
  return number === 0 ? 'rejected.ndjson' : `rejected-${number}.ndjson`;
}

/** The number of a file in its day; undefined for files of others. */
export function parseRejectedFileName(name: string): number | undefined {
  const match = /^rejected(?:-([1-9]\d{0,8}))?\.ndjson$/.exec(name);
  return match === null ? undefined : Number(match[1] ?? 0);
}
