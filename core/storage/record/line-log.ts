import { join } from 'node:path';
import { Fault } from '../../event/fault.js';
import { RecordMoved, reasonOf, storeClosing, storeUnavailable } from './append-faults.js';
import { AppendFile } from './io/append-file.js';
import { type LogFile, type LogFolder, readLog } from './io/read-log.js';
import { cutTornEnd } from './io/salvage.js';

/** Reads a log and opens it for writing; bytes after its last whole line, which ends at `end`, are copied to `salvage/` and cut. */
export async function openLineLog<Line>(folder: LogFolder, file: LogFile<Line>) {
  const { lines, end } = await readLog(folder, file);
  await cutTornEnd({ ...folder, name: file.name, end });
  return { lines, end, log: new LineLog(folder, file, end) };
}

/**
 * The append side of a log; always synced, regardless of the durability of events. `onFault` of the folder gets `STORE_UNAVAILABLE` when a
 * refused line cannot be cut yet, and `RECORD_MOVED`.
 */
export class LineLog {
  readonly #folder: LogFolder;
  readonly #what: string;
  readonly #file: AppendFile;
  #isLeftover = false;
  #last: Promise<void> = Promise.resolve();
  #closed: Promise<void> | undefined;

  constructor(folder: LogFolder, { name, what }: Pick<LogFile<unknown>, 'name' | 'what'>, end: number) {
    this.#folder = folder;
    this.#what = what;
    this.#file = new AppendFile(folder.files, join(folder.directory, name), { goodBytes: end, durable: true });
  }

  /** Resolves when the line is durable. Faults, nothing stored: `STORE_CLOSING`, `STORE_UNAVAILABLE`, `RECORD_MOVED`. */
  append(line: Buffer): Promise<void> {
    if (this.#closed !== undefined) return Promise.reject(storeClosing());
    const done = this.#last.then(() => this.#write(line));
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Waits for running appends; safe to call twice. */
  close(): Promise<void> {
    this.#closed ??= this.#last.then(async () => {
      if (this.#file.isDirty) await this.#rollback();
      await this.#file.closeHandle();
    });
    return this.#closed;
  }

  async #write(line: Buffer): Promise<void> {
    try {
      await this.#file.commit([line]);
    } catch (error) {
      if (error instanceof RecordMoved) this.#folder.onFault?.(error);
      await this.#rollback();
      throw storeUnavailable(error);
    }
    this.#isLeftover = false;
  }

  /** If this fails, the next append cuts before it writes. */
  async #rollback(): Promise<void> {
    try {
      await this.#file.rollback();
      this.#isLeftover = false;
    } catch (cause) {
      const sentence = `A refused ${this.#what} could not be cut from ${this.#file.path} (${reasonOf(cause)}). The next append tries again; a restart before that treats the ${this.#what} as accepted.`;
      if (!this.#isLeftover)
        this.#folder.onFault?.(new Fault('STORE_UNAVAILABLE', sentence, { cause, retryable: true }));
      this.#isLeftover = true;
    }
  }
}
