import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Fault } from '../../event/fault.js';
import { type Closable, closeAll } from '../close-all.js';
import { type ProcessTable, systemProcesses } from '../files/process-table.js';
import { notFolder } from '../files/require-folder.js';
import { type DataFolder, type StoreFile, type StoreFiles, unlinkIfExists, withFile } from '../files/store-files.js';
import { hasCode, systemSentence } from '../files/system-error.js';
import { makeFolderDurably } from '../files/write-durably.js';
import { reasonOf } from '../record/append-faults.js';
import { describeHolder, isGone, type LockHolder, parseLockHolder } from './lock-holder.js';

interface WriterLockOptions extends DataFolder {
  /** Called with `LOCK_UNREADABLE` when a damaged `LOCK` was repaired. */
  onFault?: ((fault: Error) => void) | undefined;
  /** Default `Date.now`. */
  nowMs?: () => number;
  /** Default: the processes of this host. */
  processes?: ProcessTable;
}

/** The file that names the writer of a data folder, and that the writer locks. */
export const LOCK_FILE = 'LOCK';

/** The second file blocks a new writer if a user removes `LOCK` while its holder runs. Both stay, empty, after a clean stop. */
const LOCK_FILES = [LOCK_FILE, `${LOCK_FILE}.held`];
/** `readWriterLock` of another process holds the kernel's lock briefly. */
const MAX_TRIES = 10;
const RETRY_MS = 20;
/** A longer file is not a lock. */
const MAX_LOCK_BYTES = 4096;

/**
 * Acquires the exclusive right to write to a folder, also from a process that has ended; closing releases it, once. Faults: `STORE_LOCKED` (names the holder), `STORE_UNAVAILABLE`
 * if the disk refuses.
 */
export async function openWriterLock(options: WriterLockOptions): Promise<Closable & AsyncDisposable> {
  try {
    return await openLock(options);
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    const { directory, files } = options;
    const stat = await files.stat(directory).catch(() => undefined);
    const sentence =
      stat?.kind === 'file'
        ? notFolder(directory)
        : (systemSentence(cause) ??
          `The data folder ${directory} cannot be used: ${reasonOf(cause)}. Choose another folder.`);
    throw new Fault('STORE_UNAVAILABLE', sentence, { cause, retryable: true });
  }
}

async function openLock(options: WriterLockOptions): Promise<Closable & AsyncDisposable> {
  const { directory, files, onFault, nowMs = Date.now, processes = systemProcesses } = options;
  const opened: StoreFile[] = [];
  let isOurs = false;
  const release = async (): Promise<void> => {
    const errors = await closeAll(opened.map((file) => ({ close: () => releaseFile(file, isOurs) })));
    if (errors.length > 0) throw errors[0];
  };
  await makeFolderDurably(files, directory);
  try {
    let hasKernelLock = true;
    for (const name of LOCK_FILES) {
      const file = await openLockFile(files, join(directory, name), onFault);
      opened.push(file);
      const isAcquired = await acquireKernelLock(file);
      if (isAcquired === false) throw lockedBy(parseLockHolder(await textOf(file)));
      hasKernelLock &&= isAcquired === true;
    }
    const acquire = async (): Promise<void> => {
      for (const file of opened) await checkIsFree(file, hasKernelLock, options);
      isOurs = true;
      const holder: LockHolder = {
        pid: processes.pid,
        host: processes.host,
        started_at: new Date(nowMs()).toISOString(),
        process_start: processes.startOf(processes.pid) ?? null,
        pid_namespace: processes.pidNamespace,
        kernel_lock: hasKernelLock,
      };
      for (const file of opened) {
        await file.truncate(0);
        await file.write([Buffer.from(`${JSON.stringify(holder)}\n`, 'utf8')], 0);
        await file.sync();
      }
    };
    await (hasKernelLock ? acquire() : withClaim(files, join(directory, 'LOCK.claim'), acquire));
  } catch (error) {
    // Report the first error.
    await release().catch(() => undefined);
    throw error;
  }
  let released: Promise<void> | undefined;
  const close = (): Promise<void> => {
    released ??= release();
    return released;
  };
  return { close, [Symbol.asyncDispose]: close };
}

/** A folder at the path of the file cannot be a lock and is set aside. */
async function openLockFile(
  files: StoreFiles,
  path: string,
  onFault: WriterLockOptions['onFault'],
): Promise<StoreFile> {
  try {
    return await files.open(path, 'write');
  } catch (error) {
    if (!hasCode(error, 'EISDIR')) throw error;
    await files.rename(path, `${path}.unusable`);
    onFault?.(new Fault('LOCK_UNREADABLE', `${path} was a folder and was set aside as ${path}.unusable.`));
    return await files.open(path, 'write');
  }
}

async function acquireKernelLock(file: StoreFile): Promise<boolean | undefined> {
  for (let tries = 1; ; tries += 1) {
    const isAcquired = await file.tryLock('exclusive');
    if (isAcquired !== false || tries === MAX_TRIES) return isAcquired;
    await setTimeout(RETRY_MS);
  }
}

/** Throws `STORE_LOCKED` unless the holder has ended. Unreadable content counts as damage if the kernel's lock is held, else it throws. */
async function checkIsFree(
  file: StoreFile,
  hasKernelLock: boolean,
  { directory, onFault, processes = systemProcesses }: WriterLockOptions,
): Promise<void> {
  const lock = join(directory, LOCK_FILE);
  const text = await textOf(file);
  if (text === '') return;
  const holder = parseLockHolder(text);
  if (holder !== undefined) {
    if (!isGone(holder, hasKernelLock, processes)) throw lockedBy(holder, lock);
  } else if (hasKernelLock) {
    onFault?.(new Fault('LOCK_UNREADABLE', `${lock} was damaged. Nobody held it, and it was written again.`));
  } else {
    throw new Fault('STORE_LOCKED', `${lock} cannot be read. Remove it if no collector writes into the folder.`);
  }
}

/** Without kernel locks: an exclusively created file keeps two processes from judging `LOCK` at the same time. */
async function withClaim(files: StoreFiles, path: string, work: () => Promise<void>): Promise<void> {
  const claim = await files.open(path, 'create').catch((error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error;
    throw new Fault('STORE_LOCKED', `Another collector starts in the data folder. If none does, remove ${path}.`);
  });
  try {
    await work();
  } finally {
    await claim.close();
    await unlinkIfExists(files, path);
  }
}

async function textOf(file: StoreFile): Promise<string> {
  return (await file.read(0, MAX_LOCK_BYTES)).toString('utf8');
}

/** Clears the content first: it must not name this process once the lock is free. */
async function releaseFile(file: StoreFile, isOurs: boolean): Promise<void> {
  try {
    if (isOurs) await file.truncate(0);
  } finally {
    await file.close();
  }
}

/** `lock`: set if only the file's content names the holder; a user may have to remove the file. */
function lockedBy(holder: LockHolder | undefined, lock?: string): Fault {
  const doubt =
    lock === undefined
      ? ''
      : ` If it no longer runs, which cannot be seen from this machine, remove ${lock} and ${lock}.held.`;
  return new Fault('STORE_LOCKED', `The data folder is in use by ${describeHolder(holder)}. Stop it first.${doubt}`);
}

/** State of a folder's lock. */
export interface FoundLock {
  /** Whether a process writes to the folder, as far as can be known. */
  readonly isHeld: boolean;
  /** Current or last holder; undefined if the files do not name one. */
  readonly holder?: LockHolder | undefined;
  /** Whether a file has content that no holder wrote. */
  readonly isDamaged: boolean;
}

/** Inspects a folder's lock without acquiring it. */
export async function readWriterLock(
  files: StoreFiles,
  directory: string,
  processes: ProcessTable = systemProcesses,
): Promise<FoundLock> {
  let lock: FoundLock = { isHeld: false, isDamaged: false };
  for (const name of LOCK_FILES) {
    const read = withFile(files, join(directory, name), 'read', async (file): Promise<FoundLock> => {
      const text = await textOf(file);
      // Last, and briefly: a starting writer waits for it.
      const isFree = await file.tryLock('shared');
      const holder = parseLockHolder(text);
      const isHeld = isFree === false || (holder !== undefined && !isGone(holder, isFree === true, processes));
      if (isHeld) return { isHeld, holder, isDamaged: false };
      return { isHeld, holder: holder ?? lock.holder, isDamaged: lock.isDamaged || (text !== '' && !holder) };
    });
    lock = await read.catch((error: unknown) => {
      if (hasCode(error, 'EISDIR')) return { ...lock, isDamaged: true };
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return lock;
      throw error;
    });
    if (lock.isHeld) return lock;
  }
  return lock;
}
