import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { DEAD_LETTER_FOLDER } from './dead-letters/dead-letter-files.js';
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
  #lost: RecordMoved | undefined;

  constructor(options: StoreFenceOptions) {
    const { directory, files } = options;
    this.#options = options;
    this.#lock = join(directory, LOCK_FILE);
    this.unfenced = files;
    this.files = {
      ...files,
      open: (path, mode) => this.#open(path, mode),
      makeFolder: (folder) => this.#change([folder], () => files.makeFolder(folder)),
      syncFolder: (folder) => this.#change([folder], () => files.syncFolder(folder)),
      rename: (from, to) => this.#change([from, to], () => files.rename(from, to)),
      unlink: (path) => this.#change([path], () => files.unlink(path)),
      removeFolder: (folder) => this.#change([folder], () => files.removeFolder(folder)),
    };
    this.#timer = setInterval(() => void this.#checkWatched().catch(() => undefined), CHECK_INTERVAL_MS).unref();
  }

  /** Why the store is lost; undefined while it is not. */
  get lost(): RecordMoved | undefined {
    return this.#lost;
  }

  /** Whether the folder at the path is locked by this store, lost or not. */
  async holdsFolder(): Promise<boolean> {
    const { files, lockIdentity } = this.#options;
    return (await files.statNow(this.#lock))?.identity === lockIdentity;
  }

  /** Rejects with `RECORD_MOVED` if the store is lost or its lock is not at its path. */
  async check(): Promise<void> {
    if (this.#lost === undefined && !(await this.holdsFolder())) this.lose(movedAway(this.#lock));
    if (this.#lost !== undefined) throw this.#lost;
  }

  /** Makes the store lost. */
  lose(moved: RecordMoved): void {
    if (this.#lost !== undefined) return;
    this.#lost = moved;
    this.#options.onLost(moved);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
  }

  /** Notices a move while nothing is appended. */
  async #checkWatched(): Promise<void> {
    await this.check();
    for (const [path, identity] of [...this.#watched]) {
      const stat = await this.unfenced.statNow(path);
      // The store itself may have removed it.
      if (stat?.identity === identity || this.#watched.peek(path) !== identity) continue;
      this.lose(movedAway(path));
    }
  }

  async #change<Result>(paths: readonly string[], work: () => Promise<Result>): Promise<Result> {
    await this.check();
    // The store itself is about to replace or remove these.
    for (const path of paths) this.#watched.delete(path);
    return await work();
  }

  async #open(path: string, mode: OpenMode): Promise<StoreFile> {
    if (mode === 'read') return await this.unfenced.open(path, mode);
    const file = await this.#change([path], () => this.unfenced.open(path, mode));
    // Users may delete dead letters. A file without an identity is not watched.
    if (mode === 'append' && !path.startsWith(join(this.#options.directory, DEAD_LETTER_FOLDER))) {
      const identity = await file.identity().catch(() => undefined);
      if (identity !== undefined) this.#watched.set(path, identity);
    }
    return file;
  }
}

function movedAway(path: string): RecordMoved {
  return new RecordMoved(path, 'it is missing or replaced');
}
