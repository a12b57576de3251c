import { join } from 'node:path';
import type { StoreFiles } from '../files/store-files.js';
import { isStale, type LockHolder, readLockHolder } from '../record/lock-holder.js';
import { type ProcessTable, systemProcesses } from '../record/process-table.js';
import type { Found } from './finding.js';

const LOCK_FILE = 'LOCK';

/** Who writes into a folder, and what is to be said of it. */
export interface LockState {
  /** Undefined when nobody writes. */
  readonly writer: LockHolder | undefined;
  readonly found: Found | undefined;
}

/** Reads who holds the lock of a folder, and takes nothing. A holder of another host counts as running. */
export async function readLockState(
  files: StoreFiles,
  directory: string,
  processes: ProcessTable = systemProcesses,
): Promise<LockState> {
  const content = await files.readFile(join(directory, LOCK_FILE));
  if (content === undefined) return { writer: undefined, found: undefined };
  const holder = readLockHolder(content.toString('utf8'));
  if (holder === undefined) {
    return {
      writer: undefined,
      found: { code: 'LOCK_UNREADABLE', file: LOCK_FILE, what: 'It does not say who writes.' },
    };
  }
  const who = `process ${holder.pid} on ${holder.host}, started ${holder.started_at}`;
  if (isStale(holder, processes)) {
    const what = `It was left by ${who}, which is gone.`;
    return { writer: undefined, found: { code: 'LOCK_STALE', file: LOCK_FILE, what } };
  }
  const what = `The folder is being written by ${who}.`;
  return { writer: holder, found: { code: 'WRITER_RUNNING', file: LOCK_FILE, what } };
}
