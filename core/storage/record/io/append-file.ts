import type { StoreFile, StoreFiles } from '../../files/store-files.js';
import { hasCode } from '../../files/system-error.js';
import { RecordMoved } from '../append-faults.js';

/**
 * A file that only grows, and whose good length is known: what was written since counts once it is accepted, and can be taken back.
 * The file is opened when it is first needed and made when absent. Opening always brings it back to its good length, so that a failed
 * `revert` is made up for by the next use. A handle whose write or sync failed is never used again: after a failed fdatasync the system may
 * call the next one a success without having written.
 * Calls reject with Fault `RECORD_MOVED` where the file is not at its path, or something else has changed its length.
 */
export class AppendFile {
  readonly path: string;
  readonly #files: StoreFiles;
  readonly #durable: boolean;
  #file: StoreFile | undefined;
  /** Of the file that was opened first. */
  #identity: string | undefined;
  #good: number;
  #written: number;
  #isUnsynced = false;
  /** Whether all of its length was judged; what a file has beyond its good length when it is first opened is torn. */
  #isKnown = false;

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
    const end = await file.size();
    if (end === this.#written) return;
    // In a file that was cut these bytes are where others are said to lie: recovery would take them for those.
    const begin = Math.max(0, end - bytes.length);
    if ((await file.read(begin, bytes.length)).equals(bytes)) await file.truncate(begin);
    this.#expect(this.#written, end);
  }

  async sync(): Promise<void> {
    if (this.#durable) await this.flush();
  }

  /** Makes sure that all that was written lies at the path. */
  async check(): Promise<void> {
    if (this.#identity === undefined) return;
    const found = await this.#files.statNow(this.path);
    this.#expect(this.#written, found?.identity === this.#identity ? found?.bytes : undefined);
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

  /** Takes back what was not accepted, wherever the file is by now, and once more through a new handle. */
  async revert(): Promise<void> {
    if (this.#file === undefined && !this.isDirty) return;
    const file = this.#file;
    this.#file = undefined;
    // This handle may have failed: what it says changes nothing about what has to be cut.
    if (file !== undefined) await this.#cut(file).catch(() => undefined);
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
    const file = await this.#files.open(this.path, 'append').catch((error: unknown) => {
      throw hasCode(error, 'ENOENT', 'ENOTDIR') ? new RecordMoved(this.path, 'its folder is gone') : error;
    });
    try {
      const identity = await file.identity();
      this.#identity ??= identity;
      if (identity !== this.#identity) this.#expect(this.#good, undefined);
      if ((await this.#cut(file)) && this.#durable) await file.sync();
      this.#expect(this.#good, await file.size());
      this.#written = this.#good;
      this.#isKnown = true;
    } catch (error) {
      await file.close().catch(() => undefined);
      throw error;
    }
    this.#file = file;
    return file;
  }

  /** Cuts what was not accepted; false where nothing is to be cut, or something else has changed the length. */
  async #cut(file: StoreFile): Promise<boolean> {
    const size = await file.size();
    if (size < this.#good || (this.#isKnown && size > this.#written)) return false;
    // Also at the right length: an earlier cut may not have been synced.
    if (size === this.#good && !this.isDirty) return false;
    await file.truncate(this.#good);
    return true;
  }

  /** `found` is undefined where another file, or none, lies at the path. */
  #expect(bytes: number, found: number | undefined): void {
    if (found === bytes) return;
    const what = found === undefined ? 'it is not there, or another file is' : `it has ${found} bytes, not ${bytes}`;
    throw new RecordMoved(this.path, what);
  }
}
