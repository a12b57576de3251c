import { join, resolve } from 'node:path';
import { Fault } from '../event/fault.js';
import { type Closable, closeAll } from './close-all.js';
import type { EventStoreOptions } from './event-store-options.js';
import { nodeFiles } from './files/node-files.js';
import { type DataFolder, removeTree, type StoreFiles } from './files/store-files.js';
import { indexFolder } from './index/documents/index-folder.js';
import { LOCK_FILE, openWriterLock } from './lock/writer-lock.js';
import { RecordMoved, reasonOf } from './record/append-faults.js';
import { RAW_FOLDER } from './record/partitions/partition-path.js';
import { StoreFence } from './store-fence.js';

type HeldFolderOptions = Pick<EventStoreOptions, 'directory' | 'files' | 'onFault' | 'onLost'>;

/** A data folder that this process holds under the writer lock, with all that its store has opened in it. */
export class HeldFolder implements DataFolder {
  readonly directory: string;
  /** Changes reject with `RECORD_MOVED` once the folder is lost. */
  readonly files: StoreFiles;
  readonly #fence: StoreFence;
  readonly #options: HeldFolderOptions;
  readonly #opened: Closable[];
  #isStoreOpen = false;

  private constructor(options: HeldFolderOptions, lock: Closable, files: StoreFiles, lockIdentity: string | undefined) {
    this.#options = options;
    this.directory = options.directory;
    this.#fence = new StoreFence({
      directory: this.directory,
      files,
      lockIdentity,
      onLost: (moved) => this.#onLost(moved),
    });
    this.files = this.#fence.files;
    this.#opened = [lock, this.#fence];
  }

  /** Locks a folder, which is created if it is missing. Faults: `STORE_LOCKED` (names the holder), `STORE_UNAVAILABLE`. */
  static async lock(options: HeldFolderOptions): Promise<HeldFolder> {
    const directory = resolve(options.directory);
    const files = options.files ?? nodeFiles;
    const lock = await openWriterLock({ directory, files, onFault: options.onFault });
    try {
      const lockIdentity = (await files.stat(join(directory, LOCK_FILE)))?.identity;
      return new HeldFolder({ ...options, directory }, lock, files, lockIdentity);
    } catch (error) {
      await closeAll([lock]);
      throw openingFault(directory, error);
    }
  }

  /** Whether files of the store were moved, removed or changed by another process: it must not write any more. */
  get isLost(): boolean {
    return this.#fence.lost !== undefined;
  }

  /** For faults of the store that no caller waits for; the one that it is lost goes to `onLost`. */
  readonly onFault = (fault: Error): void => {
    if (fault instanceof RecordMoved) this.#fence.lose(fault);
    else if (!this.isLost) this.#options.onFault?.(fault);
  };

  /** Rejects with `RECORD_MOVED` if the folder is lost. */
  check(): Promise<void> {
    return this.#fence.check();
  }

  /** From now on `onLost` is called; before, the opening rejects instead. */
  storeIsOpen(): void {
    this.#isStoreOpen = true;
  }

  /** Adds a resource that `close` closes before all that were added earlier. */
  closeLater<Resource extends Closable>(resource: Resource): Resource {
    this.#opened.push(resource);
    return resource;
  }

  /**
   * Closes everything, what was opened last first, the fence and the lock last. The lock is released even if others fail: a closed store must not
   * lock its folder. Returns the errors.
   */
  async close(): Promise<unknown[]> {
    return await closeAll(this.#opened.splice(0).reverse());
  }

  /** If raw files were removed, the index may count lost events; without it the next opening rebuilds it. */
  async removeStaleIndex(): Promise<void> {
    const isStale = this.#fence.lost?.path.startsWith(join(this.directory, RAW_FOLDER)) === true;
    if (isStale && (await this.#fence.holdsFolder())) {
      await removeTree(this.#fence.unfenced, indexFolder(this.directory));
    }
  }

  #onLost(moved: RecordMoved): void {
    const { onLost, onFault } = this.#options;
    if (this.#isStoreOpen) (onLost ?? onFault)?.(moved);
  }
}

/** The fault of an opening that failed: `STORE_UNAVAILABLE`, unless the error is a Fault itself. */
export function openingFault(directory: string, error: unknown): Fault {
  if (error instanceof Fault) return error;
  const sentence = `The store in ${directory} could not be opened: ${reasonOf(error)}. The folder must be complete and writable, and the disk must have space.`;
  return new Fault('STORE_UNAVAILABLE', sentence, { cause: error, retryable: true });
}
