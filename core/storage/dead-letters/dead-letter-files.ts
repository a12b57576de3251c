import { dirname, join } from 'node:path';
import type { StoreFiles } from '../files/store-files.js';
import { unlinkIfThere } from '../files/unlink-if-there.js';
import {
  DAY_MS,
  type DeadLetterFile,
  dayOf,
  deadLetterFileName,
  folderOfDay,
  listDeadLetterFiles,
} from './list-dead-letter-files.js';

/** How much and how long rejected payloads are kept. */
export interface RejectedBounds {
  /** A day is removed when it ended longer ago than this; 0: age removes nothing. Default 168 hours. */
  maxAgeMs: number;
  /** Most bytes of all files; 0: nothing is kept, and what there is goes. Default 100 MiB. */
  maxBytes: number;
}

/** The defaults of `config/schema.json`. */
export const DEFAULT_REJECTED_BOUNDS: RejectedBounds = { maxAgeMs: 168 * 3_600_000, maxBytes: 100 * 1024 * 1024 };

/** The bound on all files is held by removing whole files; so that most of it stays in a flood, one file has this share. */
const FILES_IN_BOUND = 8;
/** A day's folder lies in a month's, and that in a year's. */
const FOLDERS_ABOVE_FILE = 3;

/** The files of dead letters, held to their bounds: whole files go, oldest first. One call at a time. */
export class DeadLetterFiles {
  readonly #files: StoreFiles;
  readonly #directory: string;
  readonly #bounds: RejectedBounds;
  /** Oldest first; undefined until they could be listed. */
  #listed: DeadLetterFile[] | undefined;

  constructor(files: StoreFiles, directory: string, bounds: RejectedBounds) {
    this.#files = files;
    this.#directory = directory;
    this.#bounds = bounds;
  }

  /** Looks at the folder again. */
  async load(): Promise<void> {
    this.#listed = await listDeadLetterFiles(this.#files, this.#directory);
  }

  /** The file in which a line is written now, which may not be there yet: the day's last one, or the next when that is full. */
  async fileFor(nowMs: number, lineBytes: number): Promise<DeadLetterFile> {
    const shelved = await this.#loaded();
    const dayMs = dayOf(nowMs);
    const last = shelved.findLast((file) => file.dayMs === dayMs);
    if (last !== undefined && (last.bytes === 0 || lineBytes <= this.roomIn(last))) return last;
    const number = last === undefined ? 0 : last.number + 1;
    const path = join(folderOfDay(this.#directory, dayMs), deadLetterFileName(number));
    return { path, dayMs, number, bytes: 0 };
  }

  /** Bytes that a file still takes before the next one is begun. */
  roomIn(file: DeadLetterFile): number {
    return Math.floor(this.#bounds.maxBytes / FILES_IN_BOUND) - file.bytes;
  }

  /** Counts a file in that was made. */
  add(file: DeadLetterFile): void {
    const shelved = this.#listed ?? [];
    if (shelved.includes(file)) return;
    const after = shelved.findIndex((other) => other.dayMs > file.dayMs);
    shelved.splice(after === -1 ? shelved.length : after, 0, file);
  }

  /** Removes the oldest files, but never `current`, until so many more bytes fit. */
  async freeSpace(bytes: number, current?: DeadLetterFile): Promise<void> {
    const shelved = await this.#loaded();
    let total = bytes + shelved.reduce((sum, file) => sum + file.bytes, 0);
    for (const file of [...shelved]) {
      if (total <= this.#bounds.maxBytes) return;
      if (file === current) continue;
      await this.#remove(file);
      total -= file.bytes;
    }
  }

  /** Removes the days that are too old, but never `current`. */
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
    await unlinkIfThere(this.#files, file.path);
    this.#listed = this.#listed?.filter((other) => other !== file);
    let folder = dirname(file.path);
    for (let above = 0; above < FOLDERS_ABOVE_FILE; above += 1) {
      if (!(await this.#files.removeFolder(folder))) return;
      folder = dirname(folder);
    }
  }
}
