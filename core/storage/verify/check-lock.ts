import type { StoreFiles } from '../files/store-files.js';
import { nameOf } from '../record/lock-holder.js';
import { LOCK_FILE, readWriterLock } from '../record/writer-lock.js';
import type { Found } from './finding.js';

/** Who writes into a folder, and what is to be said of it. */
export interface LockState {
  /** For a sentence; undefined when nobody writes. */
  readonly writer: string | undefined;
  readonly found: Found | undefined;
}

/** Looks who holds the lock of a folder. A holder of whom that cannot be told counts as running. */
export async function readLockState(files: StoreFiles, directory: string): Promise<LockState> {
  const { isHeld, holder, isDamaged } = await readWriterLock(files, directory);
  const finding = (code: Found['code'], what: string): Found => ({ code, file: LOCK_FILE, what });
  const writer = isHeld ? nameOf(holder) : undefined;
  if (isHeld) return { writer, found: finding('WRITER_RUNNING', `The folder is being written by ${writer}.`) };
  if (isDamaged) return { writer, found: finding('LOCK_UNREADABLE', 'It does not say who writes.') };
  if (holder === undefined) return { writer, found: undefined };
  return { writer, found: finding('LOCK_STALE', `It was left by ${nameOf(holder)}, which is gone.`) };
}
