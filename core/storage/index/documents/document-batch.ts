import { dirname } from 'node:path';
import { beginTimeSlice } from '../../../time-slice.js';
import type { StoreFiles } from '../../files/store-files.js';
import { makeFolderDurably } from '../../files/write-durably.js';
import { type DocumentKind, placeDocument } from './checked-document.js';

/** Documents written at the same time: the disk syncs several in hardly more time than one. */
const PARALLEL_WRITES = 8;

/** Writes many documents a few at a time, and makes their names durable together. */
export class DocumentBatch implements AsyncDisposable {
  readonly #files: StoreFiles;
  readonly #signal: AbortSignal | undefined;
  readonly #folders = new Set<string>();
  readonly #writing = new Set<Promise<void>>();
  readonly #errors: unknown[] = [];

  /** After an abort, `add` and `end` reject with its reason. */
  constructor(files: StoreFiles, signal?: AbortSignal) {
    this.#files = files;
    this.#signal = signal;
  }

  /**
   * Encodes a document and begins to write it; a batch blocks the event loop for a time slice and one document. Rejects with the error of an
   * earlier one.
   */
  async add(path: string, kind: DocumentKind, encode: () => object): Promise<void> {
    const folder = dirname(path);
    if (!this.#folders.has(folder)) await makeFolderDurably(this.#files, folder);
    this.#folders.add(folder);
    while (this.#writing.size >= PARALLEL_WRITES) await Promise.race(this.#writing);
    const slice = beginTimeSlice();
    if (slice.isOver) await slice.next();
    this.#assertUsable();
    const writing = placeDocument(this.#files, path, kind, encode())
      .catch((error: unknown) => void this.#errors.push(error))
      .finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
  }

  /** Resolves when all documents are durable; rejects with the first error. */
  async end(): Promise<void> {
    await Promise.all(this.#writing);
    this.#assertUsable();
    for (const folder of this.#folders) await this.#files.syncFolder(folder);
  }

  /** Waits for the documents that are being written. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#writing);
  }

  #assertUsable(): void {
    this.#signal?.throwIfAborted();
    if (this.#errors.length > 0) throw this.#errors[0];
  }
}
