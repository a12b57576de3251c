import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { DEAD_LETTER_FOLDER } from './dead-letters/list-dead-letter-files.js';
import type { DataFolder, StoreFile, StoreFiles } from './files/store-files.js';
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

/**
 * Keeps a store from writing into a folder that it does not hold. Every change by path goes through `files`, which first checks that the lock
 * is still at its path. Once a file of the store was moved, the store is lost: all later changes are refused.
 */
export class StoreFence {
  /** Changes reject with `RECORD_MOVED` if the store is lost. */
  readonly files: StoreFiles;
  readonly unfenced: StoreFiles;
  readonly #options: StoreFenceOptions;
  readonly #lock: string;
  /** Identities of files open for appending, by path. */
  readonly #watched = new LRUCache<string, string>({ max: MAX_WATCHED });
  readonly #timer: NodeJS.Timeout;
  /** Why the store is lost; undefined while it is not. */
  lost: RecordMoved | undefined;

  constructor(options: StoreFenceOptions) {
    this.#options = options;
    this.#lock = join(options.directory, LOCK_FILE);
    this.unfenced = options.files;
    this.files = this.#fenced(options.files);
    this.#timer = setInterval(() => void this.#checkWatched().catch(() => undefined), CHECK_INTERVAL_MS).unref();
  }

  /** Whether the folder at the path is locked by this store, lost or not. */
  async holdsFolder(): Promise<boolean> {
    const { files, lockIdentity } = this.#options;
    return (await files.statNow(this.#lock))?.identity === lockIdentity;
  }

  /** Rejects with `RECORD_MOVED` if the store is lost or its lock is not at its path. */
  async check(): Promise<void> {
    if (this.lost === undefined && !(await this.holdsFolder())) {
      this.lose(new RecordMoved(this.#lock, 'it is missing or replaced'));
    }
    if (this.lost !== undefined) throw this.lost;
  }

  /** Makes the store lost. */
  lose(moved: RecordMoved): void {
    if (this.lost !== undefined) return;
    this.lost = moved;
    this.#options.onLost(moved);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
  }

  /** Notices a move while nothing is appended. */
  async #checkWatched(): Promise<void> {
    await this.check();
    for (const [path, identity] of [...this.#watched]) {
      const found = await this.#options.files.statNow(path);
      // The store itself may have removed it.
      if (found?.identity === identity || this.#watched.peek(path) !== identity) continue;
      this.lose(new RecordMoved(path, 'it is missing or replaced'));
    }
  }

  #fenced(files: StoreFiles): StoreFiles {
    const checked =
      <Path extends unknown[], Result>(change: (...path: Path) => Promise<Result>) =>
      async (...path: Path): Promise<Result> => {
        await this.check();
        // The store itself is about to replace or remove these.
        for (const one of path) if (typeof one === 'string') this.#watched.delete(one);
        return await change(...path);
      };
    const open = checked(files.open);
    return {
      ...files,
      open: async (path, mode) => {
        if (mode === 'read') return await files.open(path, mode);
        const file = await open(path, mode);
        // A file without an identity is not watched.
        if (mode === 'append') await this.#watch(path, file).catch(() => undefined);
        return file;
      },
      makeFolder: checked(files.makeFolder),
      syncFolder: checked(files.syncFolder),
      rename: checked(files.rename),
      unlink: checked(files.unlink),
      removeFolder: checked(files.removeFolder),
    };
  }

  async #watch(path: string, file: StoreFile): Promise<void> {
    // Users may delete dead letters.
    if (path.startsWith(join(this.#options.directory, DEAD_LETTER_FOLDER))) return;
    this.#watched.set(path, await file.identity());
  }
}
