import { randomUUID } from 'node:crypto';
import { Fault } from '../../event/fault.js';
import { makeFolderDurably } from '../files/make-folder-durably.js';
import type { StoreFiles } from '../files/store-files.js';
import { reasonOf } from './append-faults.js';
import { LockFiles } from './lock-files.js';
import { isStale, type LockHolder } from './lock-holder.js';
import { type ProcessTable, systemProcesses } from './process-table.js';

/** How a folder is locked. */
export interface WriterLockOptions {
  /** Absolute path of the data folder; made when absent. */
  directory: string;
  files: StoreFiles;
  /** Wall clock in milliseconds, default `Date.now`. */
  nowMs?: () => number;
  /** Default: the processes of this host. */
  processes?: ProcessTable;
}

/** The right to write into a data folder. `close` gives it back and is safe twice; a lock that is no longer ours is left alone. */
export interface WriterLock {
  close(): Promise<void>;
}

/** Others may take and give back while we try; so often in a row means that something else is wrong. */
const MAX_TRIES = 20;

/**
 * Takes the one writer's lock of a folder, over that of a process that is gone. Faults: `STORE_LOCKED` (names the holder),
 * `STORE_UNAVAILABLE` when the disk refuses.
 */
export async function openWriterLock(options: WriterLockOptions): Promise<WriterLock> {
  try {
    return await openLock(options);
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    const found = await options.files.stat(options.directory).catch(() => undefined);
    if (found !== undefined && found.kind !== 'folder') {
      throw new Fault('STORE_UNAVAILABLE', `${options.directory} is no folder: name another one, or move it away.`, {
        cause,
        retryable: true,
      });
    }
    throw new Fault(
      'STORE_UNAVAILABLE',
      `The data folder ${options.directory} could not be locked: ${reasonOf(cause)}. Check that it can be written.`,
      { cause, retryable: true },
    );
  }
}

async function openLock(options: WriterLockOptions): Promise<WriterLock> {
  const { directory, files, nowMs = Date.now, processes = systemProcesses } = options;
  const holder: LockHolder = {
    pid: processes.pid,
    host: processes.host,
    started_at: new Date(nowMs()).toISOString(),
    process_start: processes.startOf(processes.pid) ?? null,
    token: randomUUID(),
  };
  const locks = new LockFiles(files, directory, holder);
  const release = async (): Promise<void> => {
    await locks.letGo();
    if (!(await locks.isOurs())) return;
    await files.unlink(locks.lock);
    await files.syncFolder(directory);
  };
  await makeFolderDurably(files, directory);
  try {
    await locks.withOwn(async () => {
      await takeLock(files, locks, processes);
      await locks.hold();
    });
    const stillHolds = await locks.removeLeftovers((other) => isStale(other, processes));
    if (stillHolds !== undefined) throw lockedBy(stillHolds, locks.lock);
    await files.syncFolder(directory);
  } catch (error) {
    // Our own process would keep a lock alive that nobody holds. What failed first is what the caller has to know.
    await release().catch(() => undefined);
    throw error;
  }
  let released: Promise<void> | undefined;
  return {
    close() {
      released ??= release();
      return released;
    },
  };
}

/**
 * A lock gets its name by `link`, which is exclusive and shows the content whole. A stale one is only replaced by whoever first takes the claim
 * that is named after its token: of two who find it stale one wins, and nobody ever moves a lock that is not the one that was judged.
 */
async function takeLock(files: StoreFiles, locks: LockFiles, processes: ProcessTable): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    if (await locks.giveName(locks.lock)) return;
    const holder = await locks.holderOf(locks.lock);
    if (holder !== undefined && (await replaceStale(files, locks, processes, holder))) return;
  }
  throw new Fault('STORE_LOCKED', `${locks.lock} changes all the time: others try to open the folder too.`, {
    retryable: true,
  });
}

/** False when somebody else was faster. A claim whose owner died is claimed in the same way. */
async function replaceStale(
  files: StoreFiles,
  locks: LockFiles,
  processes: ProcessTable,
  stale: LockHolder,
): Promise<boolean> {
  for (let judged: LockHolder | undefined = stale; judged !== undefined; ) {
    if (!isStale(judged, processes)) throw lockedBy(judged, locks.lock);
    const claim = locks.claimOf(judged);
    if (!(await locks.giveName(claim))) {
      judged = await locks.holderOf(claim);
      continue;
    }
    // Between our look at the lock and our claim another one may have claimed it, replaced it and given the claim's name free.
    if ((await locks.holderOf(locks.lock))?.token === stale.token) {
      await files.rename(claim, locks.lock);
      return true;
    }
    await files.unlink(claim);
    return false;
  }
  return false;
}

function lockedBy(holder: LockHolder, path: string): Fault {
  return new Fault(
    'STORE_LOCKED',
    `The data folder is written by process ${holder.pid} on ${holder.host}, started ${holder.started_at}. Stop it first; if that host is gone for good, remove ${path} and ${path}.*.held.`,
  );
}
