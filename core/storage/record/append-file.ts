import { Fault } from '../../event/fault.js';
import type { StoreFile, StoreFiles } from '../files/store-files.js';

/**
 * A file that only grows, and whose good length is known: what was written since counts once it is accepted, and can be taken back.
 * The file is opened when it is first needed and made when absent. Opening always brings it back to its good length, so that a failed
 * `revert` is made up for by the next use. A handle whose write or sync failed is never used again: after a failed fdatasync the system may
 * call the next one a success without having written.
 */
export class AppendFile {
  readonly path: string;
  readonly #files: StoreFiles;
  readonly #durable: boolean;
  #file: StoreFile | undefined;
  #good: number;
  #written: number;
  #isUnsynced = false;

  /** `goodBytes`: the length that is known to be whole. `durable` false: nothing is ever synced. */
  constructor(files: StoreFiles, path: string, options: { goodBytes: number; durable: boolean }) {
    this.#files = files;
    this.path = path;
    this.#durable = options.durable;
    this.#good = options.goodBytes;
    this.#written = options.goodBytes;
  }

  /** Length of what was accepted. */
  get goodBytes(): number {
    return this.#good;
  }

  /** True while the file may hold more than what was accepted. */
  get isDirty(): boolean {
    return this.#written !== this.#good;
  }

  /** Writes at the end; one call at a time. */
  async append(bytes: Uint8Array): Promise<void> {
    const file = await this.#opened();
    const position = this.#written;
    this.#written += bytes.length;
    this.#isUnsynced = true;
    await file.write([bytes], position);
  }

  async sync(): Promise<void> {
    if (this.#durable) await this.flush();
  }

  /** Syncs what was written, whether or not it has to be durable. */
  async flush(): Promise<void> {
    if (!this.#isUnsynced) return;
    this.#isUnsynced = false;
    await this.#file?.sync();
  }

  /** What was written is good from now on. */
  accept(): void {
    this.#good = this.#written;
  }

  /** Takes back what was not accepted, through a new handle. */
  async revert(): Promise<void> {
    if (this.#file === undefined && !this.isDirty) return;
    const file = this.#file;
    this.#file = undefined;
    // This handle has failed or is given up: what closing it says changes nothing about what has to be cut.
    await file?.close().catch(() => undefined);
    await this.#opened();
  }

  /** Closes the handle; the next use opens it again. */
  async release(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    // Once it is let go of, nobody would sync it any more.
    if (!this.#durable && this.#isUnsynced) await file?.sync().catch(() => undefined);
    this.#isUnsynced = false;
    await file?.close();
  }

  async #opened(): Promise<StoreFile> {
    if (this.#file !== undefined) return this.#file;
    const file = await this.#files.open(this.path, 'write');
    try {
      await this.#cutToGoodLength(file);
    } catch (error) {
      await file.close().catch(() => undefined);
      throw error;
    }
    this.#file = file;
    return file;
  }

  async #cutToGoodLength(file: StoreFile): Promise<void> {
    const size = await file.size();
    if (size < this.#good) {
      throw new Fault(
        'RECORD_DAMAGED',
        `${this.path} has ${size} bytes, but ${this.#good} were stored. Something else has cut it; look for what writes into the data folder.`,
      );
    }
    // Also at the right length: an earlier cut may not have been synced.
    if (size > this.#good || this.isDirty) {
      await file.truncate(this.#good);
      if (this.#durable) await file.sync();
    }
    this.#written = this.#good;
  }
}
