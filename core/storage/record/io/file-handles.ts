import { Fault } from '../../../event/fault.js';
import type { ReadableFile, StoreFile, StoreFiles } from '../../files/store-files.js';
import { hasCode } from '../../files/system-error.js';

interface Handle {
  readonly file: Promise<StoreFile>;
  users: number;
}

/** Handles to read files, opened on demand; at most `maxIdle` that nobody uses stay open. */
export class ReadHandles implements AsyncDisposable {
  readonly #files: StoreFiles;
  readonly #maxIdle: number;
  /** By path, least recently used first. */
  readonly #handles = new Map<string, Handle>();
  readonly #running = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(files: StoreFiles, maxIdle: number) {
    this.#files = files;
    this.#maxIdle = maxIdle;
  }

  /** Opens nothing before the first call; a missing file reads as empty. */
  file(path: string): ReadableFile {
    return {
      read: (position, bytes, into) => this.#use(path, (file) => file.read(position, bytes, into), Buffer.alloc(0)),
      size: () => this.#use(path, (file) => file.size(), 0),
    };
  }

  /** Waits for running calls and closes all files; safe to call twice. Later calls reject with Fault `READER_CLOSED`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#running);
    await this.#closeIdle(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #use<Result>(path: string, call: (file: StoreFile) => Promise<Result>, absent: Result): Promise<Result> {
    if (this.#isClosed)
      return Promise.reject(new Fault('READER_CLOSED', 'The record was closed. Open it again to read.'));
    const result = this.#open(path, call, absent).finally(() => this.#running.delete(result));
    this.#running.add(result);
    return result;
  }

  async #open<Result>(path: string, call: (file: StoreFile) => Promise<Result>, absent: Result): Promise<Result> {
    const handle = this.#handles.get(path) ?? { file: this.#files.open(path, 'read'), users: 0 };
    // Deleted first, so that it becomes the most recently used one.
    this.#handles.delete(path);
    this.#handles.set(path, handle);
    handle.users += 1;
    try {
      const file = await handle.file.catch((error: unknown) => {
        if (this.#handles.get(path) === handle) this.#handles.delete(path);
        if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
        throw error;
      });
      return file === undefined ? absent : await call(file);
    } finally {
      handle.users -= 1;
      await this.#closeIdle(this.#maxIdle);
    }
  }

  async #closeIdle(maxOpen: number): Promise<void> {
    for (const [path, handle] of this.#handles) {
      if (this.#handles.size <= maxOpen) return;
      if (handle.users > 0) continue;
      this.#handles.delete(path);
      await (await handle.file).close();
    }
  }
}
