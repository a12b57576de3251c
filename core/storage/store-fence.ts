import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { REJECTED_FOLDER } from './dead-letters/list-rejected-files.js';
import type { DataFolder, StoreFile, StoreFiles } from './files/store-files.js';
import { LOCK_FILE } from './lock/writer-lock.js';
import { RecordMoved } from './record/append-faults.js';

/** What a fence is built from. */
export interface StoreFenceOptions extends DataFolder {
  /** Of the lock that the store holds. */
  readonly lockIdentity: string | undefined;
  /** Called once, with what was found. */
  readonly onLost: (moved: RecordMoved) => void;
}

/** Files that are looked at while nothing is appended to them: those that were opened last. */
const MAX_WATCHED = 256;
const LOOK_INTERVAL_MS = 1_000;

/**
 * Keeps a store from writing into a folder that is not its own any more. Everything that is changed by path goes through `files`, which makes sure
 * before that the lock is still at its path. Once a file of the store was found moved, the store is lost: nothing more is changed.
 */
export class StoreFence {
  /** Changes reject with `RECORD_MOVED` where the store is lost. */
  readonly files: StoreFiles;
  readonly #options: StoreFenceOptions;
  readonly #lock: string;
  /** Identities of files that are appended to, by path. */
  readonly #watched = new LRUCache<string, string>({ max: MAX_WATCHED });
  readonly #timer: NodeJS.Timeout;
  #lost: RecordMoved | undefined;

  constructor(options: StoreFenceOptions) {
    this.#options = options;
    this.#lock = join(options.directory, LOCK_FILE);
    this.files = this.#fenced(options.files);
    this.#timer = setInterval(() => void this.#look().catch(() => undefined), LOOK_INTERVAL_MS).unref();
  }

  /** What was found; undefined while the store is whole. */
  get lost(): RecordMoved | undefined {
    return this.#lost;
  }

  /** Whether the folder at the path is locked by this store, lost or not. */
  async holdsFolder(): Promise<boolean> {
    const { files, lockIdentity } = this.#options;
    return (await files.statNow(this.#lock))?.identity === lockIdentity;
  }

  /** Rejects with `RECORD_MOVED` where the store is lost, or its lock is not at its path. */
  async check(): Promise<void> {
    if (this.#lost === undefined && !(await this.holdsFolder())) {
      this.lose(new RecordMoved(this.#lock, 'it is not there, or another file is'));
    }
    if (this.#lost !== undefined) throw this.#lost;
  }

  /** From now on nothing is changed. */
  lose(moved: RecordMoved): void {
    if (this.#lost !== undefined) return;
    this.#lost = moved;
    this.#options.onLost(moved);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
  }

  /** Without an append nothing else would notice. */
  async #look(): Promise<void> {
    await this.check();
    for (const [path, identity] of [...this.#watched]) {
      const found = await this.#options.files.statNow(path);
      // The store itself may have removed it meanwhile.
      if (found?.identity === identity || this.#watched.peek(path) !== identity) continue;
      this.lose(new RecordMoved(path, 'it is not there, or another file is'));
    }
  }

  #fenced(files: StoreFiles): StoreFiles {
    const checked =
      <Path extends unknown[], Result>(change: (...path: Path) => Promise<Result>) =>
      async (...path: Path): Promise<Result> => {
        await this.check();
        // What replaces or removes a file comes through here.
        for (const one of path) if (typeof one === 'string') this.#watched.delete(one);
        return await change(...path);
      };
    const open = checked(files.open);
    return {
      ...files,
      open: async (path, mode) => {
        if (mode === 'read') return await files.open(path, mode);
        const file = await open(path, mode);
        // One that does not say which it is is not looked at.
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
    // Anybody may clear what was rejected.
    if (path.startsWith(join(this.#options.directory, REJECTED_FOLDER))) return;
    this.#watched.set(path, await file.identity());
  }
}
