import { mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hasCode } from '../../core/storage/files/system-error.js';

const OWNER_ONLY_FOLDER = 0o700;
/** Far longer than a write takes: who held it so long is dead. */
const STALE_MS = 5_000;
/** What is at stake is a query in a history: after this long we go on without the lock. */
const PATIENCE_MS = 1_000;
const RETRY_MS = 10;

/** Does something while no other process does it with the same file; makes the file's folder where it is missing. A lock that cannot be had within a second is done without. */
export async function withFileLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(path), { recursive: true, mode: OWNER_ONLY_FOLDER });
  const lock = `${path}.lock`;
  const isOurs = await take(lock);
  try {
    return await work();
  } finally {
    if (isOurs) await rm(lock, { force: true });
  }
}

async function take(lock: string): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += RETRY_MS) {
    try {
      await (await open(lock, 'wx')).close();
      return true;
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
    if (await isStale(lock)) await rm(lock, { force: true });
    else await delay(RETRY_MS);
  }
  return false;
}

async function isStale(lock: string): Promise<boolean> {
  try {
    return Date.now() - (await stat(lock)).mtimeMs > STALE_MS;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}
