import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { RejectedPayload } from '../../../../core/storage/dead-letters/dead-letter.js';
import { DEFAULT_DEAD_LETTER_BOUNDS } from '../../../../core/storage/dead-letters/dead-letter-files.js';
import {
  type DeadLetterLog,
  type DeadLetterLogOptions,
  openDeadLetterLog,
} from '../../../../core/storage/dead-letters/dead-letter-log.js';
import { type DeadLetter, deadLettersOf } from '../../../helpers/dead-letters.js';
import { unsyncedFiles } from '../../../helpers/unsynced-files.js';
import { TEN_O_CLOCK_MS } from '../ten-o-clock.js';

export const HOUR_MS = 3_600_000;

const opened: DeadLetterLog[] = [];

/** Opens a log that waits for a slow disk; `closeLogs` closes it. */
export async function openLog(directory: string, options: Partial<DeadLetterLogOptions> = {}) {
  const log = await openDeadLetterLog({
    directory,
    files: unsyncedFiles,
    bounds: DEFAULT_DEAD_LETTER_BOUNDS,
    nowMs: () => TEN_O_CLOCK_MS,
    maxWaitMs: 60_000,
    ...options,
  });
  opened.push(log);
  return log;
}

/** For `afterEach`. */
export async function closeLogs(): Promise<void> {
  for (const log of opened.splice(0)) await log.close();
}

/** A rejection of these bytes. */
export function rejection(received: string | Uint8Array, changes: Partial<RejectedPayload> = {}): RejectedPayload {
  const bytes = Buffer.from(received);
  return {
    code: 'EVENT_INVALID',
    field: '/message',
    reason: 'must be string',
    received: bytes,
    bytes: bytes.length,
    ...changes,
  };
}

/** All records of a folder, newest first. */
export async function recordsOf(directory: string): Promise<DeadLetter[]> {
  return (await deadLettersOf(directory)).flatMap((record) => record ?? []);
}

/** The payloads or texts of all records, oldest first. */
export async function contentsOf(directory: string): Promise<unknown[]> {
  return (await recordsOf(directory)).map(({ content }) => content?.value).reverse();
}

/** Paths of the files below `rejected`, without it, in the order of their names. */
export async function filesOf(directory: string): Promise<string[]> {
  const root = join(directory, 'rejected');
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}
