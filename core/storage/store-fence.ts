import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { DEAD_LETTER_FOLDER } from './dead-letters/list-dead-letter-files.js';
import type { DataFolder, OpenMode, StoreFile, StoreFiles } from './files/store-files.js';
import { LOCK_FILE } from './lock/writer-lock.js';
import { RecordMoved } from './record/append-faults.js';

interface StoreFenceOptions extends DataFolder {
  /** Identity of the lock file that the store holds. */
  readonly lockIdentity: string | undefined;
  /** Called at most once. */
  readonly onLost: (moved: RecordMoved) => void;
}

/** Most recently opened files whose identity is checked periodically. */
const MAX_WATCHED = 256;
const CHECK_INTERVAL_MS = 1_000;

export type StoreFence = ReturnType<typeof createStoreFence>;

/**
 * Keeps a store from writing into a folder that it does not hold. Every change by path goes through `files`, which first checks that the lock
 * is still at its path. Once a file of the store was moved, the store is lost: all later changes are refused.
 */
export function createStoreFence({ directory, files, lockIdentity, onLost }: StoreFenceOptions) {
  const lock = join(directory, LOCK_FILE);
  /** Identities of files open for appending, by path. */
  const watched = new LRUCache<string, string>({ max: MAX_WATCHED });
  let lost: RecordMoved | undefined;

  async function holdsFolder(): Promise<boolean> {
    return (await files.statNow(lock))?.identity === lockIdentity;
  }

  async function check(): Promise<void> {
    if (lost === undefined && !(await holdsFolder())) lose(new RecordMoved(lock, 'it is missing or replaced'));
    if (lost !== undefined) throw lost;
  }

  function lose(moved: RecordMoved): void {
    if (lost !== undefined) return;
    lost = moved;
    onLost(moved);
  }

  /** Notices a move while nothing is appended. */
  async function checkWatched(): Promise<void> {
    await check();
    for (const [path, identity] of [...watched]) {
      const found = await files.statNow(path);
      // The store itself may have removed it.
      if (found?.identity === identity || watched.peek(path) !== identity) continue;
      lose(new RecordMoved(path, 'it is missing or replaced'));
    }
  }

  const checked =
    <Path extends unknown[], Result>(change: (...path: Path) => Promise<Result>) =>
    async (...path: Path): Promise<Result> => {
      await check();
      // The store itself is about to replace or remove these.
      for (const one of path) if (typeof one === 'string') watched.delete(one);
      return await change(...path);
    };
  const openToChange = checked(files.open);

  async function open(path: string, mode: OpenMode): Promise<StoreFile> {
    if (mode === 'read') return await files.open(path, mode);
    const file = await openToChange(path, mode);
    // Users may delete dead letters. A file without an identity is not watched.
    if (mode === 'append' && !path.startsWith(join(directory, DEAD_LETTER_FOLDER))) {
      const identity = await file.identity().catch(() => undefined);
      if (identity !== undefined) watched.set(path, identity);
    }
    return file;
  }

  const timer = setInterval(() => void checkWatched().catch(() => undefined), CHECK_INTERVAL_MS).unref();
  return {
    /** Changes reject with `RECORD_MOVED` if the store is lost. */
    files: {
      ...files,
      open,
      makeFolder: checked(files.makeFolder),
      syncFolder: checked(files.syncFolder),
      rename: checked(files.rename),
      unlink: checked(files.unlink),
      removeFolder: checked(files.removeFolder),
    } satisfies StoreFiles,
    unfenced: files,
    /** Why the store is lost; undefined while it is not. */
    get lost() {
      return lost;
    },
    /** Whether the folder at the path is locked by this store, lost or not. */
    holdsFolder,
    /** Rejects with `RECORD_MOVED` if the store is lost or its lock is not at its path. */
    check,
    /** Makes the store lost. */
    lose,
    async close(): Promise<void> {
      clearInterval(timer);
    },
  };
}
