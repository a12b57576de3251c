import { join } from 'node:path';
import { Fault } from '../../event/fault.js';
import type { DataFolder } from '../files/store-files.js';
import { RecordMoved, reasonOf, storeUnavailable } from './append-faults.js';
import { AppendFile } from './io/append-file.js';
import { cutTornEnd } from './io/salvage.js';

interface LineLogOptions extends DataFolder {
  /** Name of the file at the top of the data folder. */
  readonly name: string;
  /** Where the last whole line ends. */
  readonly end: number;
  /** The noun for one line, for error sentences. */
  readonly what: string;
  /** Called with `STORE_UNAVAILABLE` when a refused line cannot be cut yet, and with `RECORD_MOVED`. */
  readonly onFault?: ((fault: Fault) => void) | undefined;
}

/** Opens the log; bytes after `end` are copied to `salvage/` and cut. */
export async function openLineLog(options: LineLogOptions): Promise<LineLog> {
  await cutTornEnd(options);
  return new LineLog(options);
}

/** The append side of a log; always synced, regardless of the durability of events. */
export class LineLog {
  readonly #options: LineLogOptions;
  readonly #file: AppendFile;
  #isNameDurable = false;
  #isLeftover = false;

  constructor(options: LineLogOptions) {
    this.#options = options;
    const { files, directory, name, end } = options;
    this.#file = new AppendFile(files, join(directory, name), { goodBytes: end, durable: true });
  }

  /** Resolves when the line is durable; one call at a time. Faults: `STORE_UNAVAILABLE`, `RECORD_MOVED` (retryable, nothing was stored). */
  async append(line: Buffer): Promise<void> {
    const { files, directory, onFault } = this.#options;
    try {
      await this.#file.append(line);
      await this.#file.sync();
      await this.#file.check();
      if (!this.#isNameDurable) await files.syncFolder(directory);
    } catch (error) {
      if (error instanceof RecordMoved) onFault?.(error);
      await this.#rollback();
      throw storeUnavailable(error);
    }
    this.#isLeftover = false;
    this.#isNameDurable = true;
    this.#file.accept();
  }

  async close(): Promise<void> {
    if (this.#file.isDirty) await this.#rollback();
    await this.#file.closeHandle();
  }

  /** If this fails, the next append cuts before it writes. */
  async #rollback(): Promise<void> {
    const { what, onFault } = this.#options;
    try {
      await this.#file.rollback();
      this.#isLeftover = false;
    } catch (cause) {
      const sentence = `A refused ${what} could not be cut from ${this.#file.path} (${reasonOf(cause)}). The next append tries again; a restart before that treats the ${what} as accepted.`;
      if (!this.#isLeftover) onFault?.(new Fault('STORE_UNAVAILABLE', sentence, { cause, retryable: true }));
      this.#isLeftover = true;
    }
  }
}
