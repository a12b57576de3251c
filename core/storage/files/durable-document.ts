import { type Adapter, Low } from 'lowdb';
import type { StoreFiles } from './store-files.js';
import { hasCode } from './system-error.js';
import { setAside, writeFileDurably } from './write-durably.js';

/** How the data of a document are stored in its file. */
export interface DocumentFormat<Data extends object> {
  /** Called before `write` returns its promise: later changes of the data are not written. */
  encode(data: Data): string | Buffer;
  /** For content that is not of this document it throws, or returns data that say so; the content is empty for a folder at the path. */
  decode(content: Buffer): Data | Promise<Data>;
}

/** Where a document is stored, and how. */
export interface DocumentFile<Data extends object> {
  readonly files: StoreFiles;
  /** The folder must exist when the document is written. */
  readonly path: string;
  readonly format: DocumentFormat<Data>;
  /** The data of a missing file. */
  readonly defaults: Data;
  /** Whether a folder at the path is set aside by a read, because the document will be written. Default: a read writes nothing. */
  readonly setsFolderAside?: boolean;
}

/**
 * lowdb adapter for one small JSON document of a data folder. A write replaces the file atomically and durably: temporary file, sync, rename,
 * sync of the folder. Writes of one document must not overlap.
 */
class DurableAdapter<Data extends object> implements Adapter<Data> {
  readonly #file: DocumentFile<Data>;

  constructor(file: DocumentFile<Data>) {
    this.#file = file;
  }

  /** Rejects with the system's error, and with what `decode` throws. */
  async read(): Promise<Data> {
    const { format, defaults } = this.#file;
    const content = await this.#readFile();
    return content === undefined ? defaults : await format.decode(content);
  }

  /** Rejects with the system's error; the file is then the old or the new one. */
  async write(data: Data): Promise<void> {
    const { files, path, format } = this.#file;
    await writeFileDurably(files, path, format.encode(data));
  }

  async #readFile(): Promise<Buffer | undefined> {
    const { files, path, setsFolderAside = false } = this.#file;
    try {
      return await files.readFile(path);
    } catch (error) {
      if (!hasCode(error, 'EISDIR')) throw error;
      if (setsFolderAside) await setAside(files, path);
      return Buffer.alloc(0);
    }
  }
}

/** A document whose data are the defaults until its first `read`. */
export function createDocument<Data extends object>(file: DocumentFile<Data>): Low<Data> {
  return new Low(new DurableAdapter(file), file.defaults);
}

/** Opens a document and reads it. Rejects with the system's error, and with what its format throws. */
export async function openDocument<Data extends object>(file: DocumentFile<Data>): Promise<Low<Data>> {
  const document = createDocument(file);
  await document.read();
  return document;
}

/**
 * Writes other data, which are those of the document once they are durable: nobody reads what a failed write did not store. Rejects with the
 * system's error.
 */
export async function replaceData<Data extends object>(document: Low<Data>, data: Data): Promise<void> {
  await document.adapter.write(data);
  document.data = data;
}
