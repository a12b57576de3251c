import { dirname } from 'node:path';
import type { StoreFiles } from '../files/store-files.js';
import { RecordMoved } from '../record/append-faults.js';
import { AppendFile } from '../record/io/append-file.js';
import type { DeadLetterFiles } from './dead-letter-files.js';
import type { DeadLetterFile } from './list-dead-letter-files.js';

const NEWLINE = 0x0a;
const CHUNK_BYTES = 64 * 1024;

interface OpenFile {
  readonly file: DeadLetterFile;
  readonly append: AppendFile;
}

/** Appends lines to the file of the day and begins new files. One call at a time; after a failed call the next one may succeed. */
export class DeadLetterWriter {
  readonly #files: StoreFiles;
  readonly #deadLetters: DeadLetterFiles;
  #open: OpenFile | undefined;
  #isUnsynced = false;
  /** Created folders that are not synced yet; they are synced with the lines, so that writes do not wait. */
  readonly #unsyncedFolders = new Set<string>();

  constructor(files: StoreFiles, deadLetters: DeadLetterFiles) {
    this.#files = files;
    this.#deadLetters = deadLetters;
  }

  /** The open file, which must not be removed. */
  get current(): DeadLetterFile | undefined {
    return this.#open?.file;
  }

  /** Writes the first lines that fit into one file and returns their number; if it throws, none are written. */
  async write(lines: readonly Buffer[], nowMs: number): Promise<number> {
    const file = await this.#deadLetters.fileFor(nowMs, lines[0]?.length ?? 0);
    const { append } = await this.#openFor(file);
    const fitting = fittingLines(lines, this.#deadLetters.roomIn(file));
    const bytes = Buffer.concat(fitting);
    await this.#deadLetters.freeSpace(bytes.length, file);
    await this.#orRollBack(() => append.append(bytes));
    append.accept();
    this.#isUnsynced = true;
    file.bytes = append.goodBytes;
    return fitting.length;
  }

  /** Syncs all written lines. */
  async sync(): Promise<void> {
    const open = this.#open;
    if (open === undefined || !this.#isUnsynced) return;
    // Also if the sync fails: after a failure the system may report success for the next one without having written.
    this.#isUnsynced = false;
    // If the folder was deleted meanwhile, the next line begins a new file.
    await this.#orRollBack(() => open.append.sync());
    await this.#orRollBack(() => open.append.check()).catch(() => undefined);
    for (const folder of this.#unsyncedFolders) await this.#files.syncFolder(folder);
    this.#unsyncedFolders.clear();
  }

  /** Syncs and closes the file; the next write opens it again. */
  async close(): Promise<void> {
    try {
      await this.sync();
    } finally {
      const open = this.#open;
      this.#open = undefined;
      await open?.append.closeHandle();
    }
  }

  async #openFor(file: DeadLetterFile): Promise<OpenFile> {
    if (this.#open?.file === file) return this.#open;
    await this.close();
    const folder = dirname(file.path);
    for (const made of await this.#files.makeFolder(folder)) this.#unsyncedFolders.add(dirname(made));
    this.#unsyncedFolders.add(folder);
    const goodBytes = await wholeLineBytes(this.#files, file.path);
    file.bytes = goodBytes;
    this.#deadLetters.add(file);
    this.#open = { file, append: new AppendFile(this.#files, file.path, { goodBytes, durable: true }) };
    return this.#open;
  }

  /** After a failure, truncates unaccepted bytes now or before the next write; reloads the files if the current one was replaced. */
  async #orRollBack(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      if (error instanceof RecordMoved) await this.#forget();
      else await this.#open?.append.rollback().catch(() => undefined);
      throw error;
    }
  }

  async #forget(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    this.#unsyncedFolders.clear();
    await open?.append.closeHandle().catch(() => undefined);
    await this.#deadLetters.load();
  }
}

/** Returns the first lines that fit into `room`, at least one. */
function fittingLines(lines: readonly Buffer[], room: number): readonly Buffer[] {
  let bytes = 0;
  const count = lines.findIndex((line, index) => {
    bytes += line.length;
    return bytes > room && index > 0;
  });
  return count === -1 ? lines : lines.slice(0, count);
}

/** Returns the bytes of a file up to its last newline, because a crash may leave a torn line; 0 if the file is missing. */
async function wholeLineBytes(files: StoreFiles, path: string): Promise<number> {
  if ((await files.stat(path)) === undefined) return 0;
  const file = await files.open(path, 'read');
  try {
    for (let end = await file.size(); end > 0; ) {
      const start = Math.max(0, end - CHUNK_BYTES);
      const last = (await file.read(start, end - start)).lastIndexOf(NEWLINE);
      if (last >= 0) return start + last + 1;
      end = start;
    }
    return 0;
  } finally {
    await file.close();
  }
}
