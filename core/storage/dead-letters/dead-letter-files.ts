import { dirname, join } from 'node:path';
import { unlinkIfExists } from '../files/remove-files.js';
import type { StoreFiles } from '../files/store-files.js';
import {
  DAY_MS,
  type DeadLetterFile,
  dayOf,
  deadLetterFileName,
  folderOfDay,
  listDeadLetterFiles,
} from './list-dead-letter-files.js';

/** Limits on the age and the size of the dead letters. */
export interface DeadLetterBounds {
  /** Days that ended longer ago than this are removed; 0: no limit. Default 168 hours. */
  maxAgeMs: number;
  /** Bytes of all files; 0: nothing is stored, and existing files are removed. Default 100 MiB. */
  maxBytes: number;
}

/** The defaults of `config/schema.json`. */
export const DEFAULT_DEAD_LETTER_BOUNDS: DeadLetterBounds = { maxAgeMs: 168 * 3_600_000, maxBytes: 100 * 1024 * 1024 };

/** Whole files are removed, so each has only this share of `maxBytes`. */
const FILES_IN_BOUND = 8;
/** Day, month and year. */
const FOLDERS_ABOVE_FILE = 3;

/** Keeps the files of dead letters within their bounds by removing whole files, oldest first. One call at a time. */
export class DeadLetterFiles {
  readonly #files: StoreFiles;
  readonly #directory: string;
  readonly #bounds: DeadLetterBounds;
  /** Oldest first; undefined until they are listed. */
  #listed: DeadLetterFile[] | undefined;

  constructor(files: StoreFiles, directory: string, bounds: DeadLetterBounds) {
    this.#files = files;
    this.#directory = directory;
    this.#bounds = bounds;
  }

  /** Lists the folder again. */
  async load(): Promise<void> {
    this.#listed = await listDeadLetterFiles(this.#files, this.#directory);
  }

  /** Returns the file for a line, which may not exist yet: the day's last one, or the next if that is full. */
  async fileFor(nowMs: number, lineBytes: number): Promise<DeadLetterFile> {
    const listed = await this.#loaded();
    const dayMs = dayOf(nowMs);
    const last = listed.findLast((file) => file.dayMs === dayMs);
    if (last !== undefined && (last.bytes === 0 || lineBytes <= this.roomIn(last))) return last;
    const number = last === undefined ? 0 : last.number + 1;
    const path = join(folderOfDay(this.#directory, dayMs), deadLetterFileName(number));
    return { path, dayMs, number, bytes: 0 };
  }

  /** Returns the bytes left in a file. */
  roomIn(file: DeadLetterFile): number {
    return Math.floor(this.#bounds.maxBytes / FILES_IN_BOUND) - file.bytes;
  }

  /** Adds a created file. */
  add(file: DeadLetterFile): void {
    const listed = this.#listed ?? [];
    if (listed.includes(file)) return;
    const after = listed.findIndex((other) => other.dayMs > file.dayMs);
    listed.splice(after === -1 ? listed.length : after, 0, file);
  }

  /** Removes the oldest files except `current` until `bytes` more fit. */
  async freeSpace(bytes: number, current?: DeadLetterFile): Promise<void> {
    const listed = await this.#loaded();
    let total = bytes + listed.reduce((sum, file) => sum + file.bytes, 0);
    for (const file of [...listed]) {
      if (total <= this.#bounds.maxBytes) return;
      if (file === current) continue;
      await this.#remove(file);
      total -= file.bytes;
    }
  }

  /** Removes files of days that are too old, except `current`. */
  async removeOld(nowMs: number, current?: DeadLetterFile): Promise<void> {
    const { maxAgeMs } = this.#bounds;
    if (maxAgeMs === 0) return;
    for (const file of [...(await this.#loaded())]) {
      if (file !== current && nowMs - (file.dayMs + DAY_MS) > maxAgeMs) await this.#remove(file);
    }
  }

  async #loaded(): Promise<DeadLetterFile[]> {
    if (this.#listed === undefined) await this.load();
    return this.#listed ?? [];
  }

  async #remove(file: DeadLetterFile): Promise<void> {
    await unlinkIfExists(this.#files, file.path);
    this.#listed = this.#listed?.filter((other) => other !== file);
    let folder = dirname(file.path);
    for (let above = 0; above < FOLDERS_ABOVE_FILE; above += 1) {
      if (!(await this.#files.removeFolder(folder))) return;
      folder = dirname(folder);
    }
  }
}
