import { dirname } from 'node:path';
import { type StoreFile, type StoreFiles, withFile } from '../../files/store-files.js';
import { hasCode } from '../../files/system-error.js';
import { RecordMoved } from '../append-faults.js';

/**
 * An append-only file with a known good length: later bytes count once they are accepted, and can be rolled back.
 * The file is created or opened on first use, and opening cuts it to its good length, so the next use repeats a failed rollback.
 * A handle whose write or sync failed is never used again: after a failed fdatasync the next one may succeed without writing.
 * Calls reject with Fault `RECORD_MOVED` if the file is not at its path or another process changed its length.
 */
export class AppendFile {
  readonly path: string;
  readonly #files: StoreFiles;
  readonly #durable: boolean;
  #file: StoreFile | undefined;
  /** Of the file at the first opening. */
  #identity: string | undefined;
  /** The accepted length. */
  goodBytes: number;
  #written: number;
  #isUnsynced = false;
  /** The running sync; a handle must not be closed meanwhile. */
  #syncing: Promise<void> | undefined;
  /** Whether a sync of the open handle has failed. */
  #hasFailedSync = false;
  /** Whether `commit` has synced the folder. */
  #isNameDurable = false;
  /** False before the first opening: bytes beyond the good length are torn then. */
  #isKnown = false;

  /** `goodBytes`: the length that is known to be whole. `durable` false: `sync` does nothing. */
  constructor(files: StoreFiles, path: string, options: { goodBytes: number; durable: boolean }) {
    this.#files = files;
    this.path = path;
    this.#durable = options.durable;
    this.goodBytes = options.goodBytes;
    this.#written = options.goodBytes;
  }

  /** True while the file may hold bytes that are not accepted. */
  get isDirty(): boolean {
    return this.#written !== this.goodBytes;
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
    // In a file that another process cut, recovery would take these bytes for the lost ones.
    const begin = Math.max(0, end - bytes.length);
    if ((await file.read(begin, bytes.length)).equals(bytes)) await file.truncate(begin);
    this.#expect(this.#written, end);
  }

  /** Appends all chunks durably and accepts them; after a failure, roll back. */
  async commit(chunks: Iterable<Uint8Array>): Promise<void> {
    for (const bytes of chunks) await this.append(bytes);
    await this.sync();
    await this.check();
    if (!this.#isNameDurable) await this.#files.syncFolder(dirname(this.path));
    this.#isNameDurable = true;
    this.accept();
  }

  async sync(): Promise<void> {
    if (this.#durable) await this.flush();
  }

  /** Rejects with `RECORD_MOVED` unless everything written is at the path. */
  async check(): Promise<void> {
    if (this.#identity === undefined) return;
    const stat = await this.#files.statNow(this.path);
    this.#expect(this.#written, stat?.identity === this.#identity ? stat?.bytes : undefined);
  }

  /** Syncs what was written, even if the file need not be durable; one call at a time. What a failed call did not sync is synced by the next. */
  async flush(): Promise<void> {
    if (!this.#isUnsynced) return;
    this.#isUnsynced = false;
    this.#syncing = this.#syncHandle(this.#file);
    try {
      await this.#syncing;
    } catch (error) {
      this.#hasFailedSync = true;
      this.#isUnsynced = true;
      throw error;
    } finally {
      this.#syncing = undefined;
    }
  }

  /** Syncs through another handle if this one is closed or may not report what it did not write. */
  async #syncHandle(file: StoreFile | undefined): Promise<void> {
    if (file !== undefined && !this.#hasFailedSync) await file.sync();
    else await withFile(this.#files, this.path, 'read', (other) => other.sync());
  }

  /** Makes everything written good. */
  accept(): void {
    this.goodBytes = this.#written;
  }

  /** Cuts what was not accepted, through the old handle, even if the file was moved, and through a new one. */
  async rollback(): Promise<void> {
    if (this.#file === undefined && !this.isDirty) return;
    const file = this.#file;
    this.#file = undefined;
    await this.#syncing?.catch(() => undefined);
    this.#hasFailedSync = false;
    // This handle may have failed before; the new one decides.
    if (file !== undefined) await this.#cut(file).catch(() => undefined);
    await file?.close().catch(() => undefined);
    await this.#opened();
  }

  /** The next use opens the file again. */
  async closeHandle(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await this.#syncing?.catch(() => undefined);
    // `flush` may not be called again.
    if (!this.#durable && this.#isUnsynced) await this.#syncHandle(file).catch(() => undefined);
    this.#isUnsynced = false;
    this.#hasFailedSync = false;
    await file?.close();
  }

  async #opened(): Promise<StoreFile> {
    if (this.#file !== undefined) return this.#file;
    const file = await this.#files.open(this.path, 'append').catch((error: unknown) => {
      throw hasCode(error, 'ENOENT', 'ENOTDIR') ? new RecordMoved(this.path, 'its folder is missing') : error;
    });
    try {
      const identity = await file.identity();
      this.#identity ??= identity;
      if (identity !== this.#identity) this.#expect(this.goodBytes, undefined);
      if ((await this.#cut(file)) && this.#durable) await file.sync();
      this.#expect(this.goodBytes, await file.size());
      this.#written = this.goodBytes;
      this.#isKnown = true;
    } catch (error) {
      await file.close().catch(() => undefined);
      throw error;
    }
    this.#file = file;
    return file;
  }

  /** Cuts what was not accepted. Returns false if nothing was cut, because another process changed the length or the file is clean. */
  async #cut(file: StoreFile): Promise<boolean> {
    const size = await file.size();
    if (size < this.goodBytes || (this.#isKnown && size > this.#written)) return false;
    // A dirty file is cut even at the right length: an earlier cut may not have been synced.
    if (size === this.goodBytes && !this.isDirty) return false;
    await file.truncate(this.goodBytes);
    return true;
  }

  /** `actual` is undefined if the file is missing or another one is at the path. */
  #expect(bytes: number, actual: number | undefined): void {
    if (actual === bytes) return;
    const what = actual === undefined ? 'it is missing or replaced' : `it has ${actual} bytes, not ${bytes}`;
    throw new RecordMoved(this.path, what);
  }
}
