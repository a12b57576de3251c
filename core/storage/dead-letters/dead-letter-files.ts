import { dirname, join } from 'node:path';
import { type DataFolder, type StoreFiles, unlinkIfExists, withFile } from '../files/store-files.js';
import { RecordMoved } from '../record/append-faults.js';
import { AppendFile } from '../record/io/append-file.js';
import { foldersIn } from '../record/partitions/partition-path.js';

/** In the data folder. */
export const DEAD_LETTER_FOLDER = 'rejected';

const DAY_MS = 86_400_000;

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

const NEWLINE = 0x0a;
const CHUNK_BYTES = 64 * 1024;

/** Appends lines to the file of the day and removes the oldest files to stay within the bounds; one call at a time. */
export class DeadLetterFiles {
  readonly #options: DataFolder & { readonly bounds: DeadLetterBounds };
  /** Oldest first; undefined until they are listed. */
  #listed: DeadLetterFile[] | undefined;
  /** Its file must not be removed. */
  #open: { readonly file: DeadLetterFile; readonly append: AppendFile } | undefined;
  #isUnsynced = false;
  /** Created folders that are not synced yet; they are synced with the lines, so that writes do not wait. */
  readonly #unsyncedFolders = new Set<string>();

  constructor(options: DataFolder & { readonly bounds: DeadLetterBounds }) {
    this.#options = options;
  }

  /** Writes the first lines that fit into one file and returns their number; if it throws, none are written. */
  async write(lines: readonly Buffer[], nowMs: number): Promise<number> {
    const file = await this.#fileFor(nowMs, lines[0]?.length ?? 0);
    const append = await this.#openFor(file);
    const fitting = fittingLines(lines, this.#roomIn(file));
    const bytes = Buffer.concat(fitting);
    await this.#freeSpace(bytes.length);
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
    for (const folder of this.#unsyncedFolders) await this.#options.files.syncFolder(folder);
    this.#unsyncedFolders.clear();
  }

  /** Removes files of days that are too old, and the oldest ones of too many bytes. */
  async sweep(nowMs: number): Promise<void> {
    const { maxAgeMs } = this.#options.bounds;
    for (const file of maxAgeMs === 0 ? [] : [...(await this.#loaded())]) {
      if (nowMs - (file.dayMs + DAY_MS) > maxAgeMs) await this.#remove(file);
    }
    await this.#freeSpace(0);
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

  /** Returns the file for a line, which may not exist yet: the day's last one, or the next if that is full. */
  async #fileFor(nowMs: number, lineBytes: number): Promise<DeadLetterFile> {
    const dayMs = dayOf(nowMs);
    const last = (await this.#loaded()).findLast((file) => file.dayMs === dayMs);
    if (last !== undefined && (last.bytes === 0 || lineBytes <= this.#roomIn(last))) return last;
    const number = last === undefined ? 0 : last.number + 1;
    const path = join(folderOfDay(this.#options.directory, dayMs), deadLetterFileName(number));
    return { path, dayMs, number, bytes: 0 };
  }

  async #openFor(file: DeadLetterFile): Promise<AppendFile> {
    if (this.#open?.file === file) return this.#open.append;
    await this.close();
    const folder = dirname(file.path);
    for (const made of await this.#options.files.makeFolder(folder)) this.#unsyncedFolders.add(dirname(made));
    this.#unsyncedFolders.add(folder);
    file.bytes = await wholeLineBytes(this.#options.files, file.path);
    const listed = await this.#loaded();
    if (!listed.includes(file)) {
      const after = listed.findIndex((other) => other.dayMs > file.dayMs);
      listed.splice(after === -1 ? listed.length : after, 0, file);
    }
    const append = new AppendFile(this.#options.files, file.path, { goodBytes: file.bytes, durable: true });
    this.#open = { file, append };
    return append;
  }

  /** Returns the bytes left in a file. */
  #roomIn(file: DeadLetterFile): number {
    return Math.floor(this.#options.bounds.maxBytes / FILES_IN_BOUND) - file.bytes;
  }

  /** Removes the oldest files until `bytes` more fit. */
  async #freeSpace(bytes: number): Promise<void> {
    const listed = await this.#loaded();
    let total = bytes + listed.reduce((sum, file) => sum + file.bytes, 0);
    for (const file of [...listed]) {
      if (total <= this.#options.bounds.maxBytes) return;
      if (await this.#remove(file)) total -= file.bytes;
    }
  }

  /** Returns false for the open file, which stays. */
  async #remove(file: DeadLetterFile): Promise<boolean> {
    if (file === this.#open?.file) return false;
    await unlinkIfExists(this.#options.files, file.path);
    this.#listed = this.#listed?.filter((other) => other !== file);
    let folder = dirname(file.path);
    for (let above = 0; above < FOLDERS_ABOVE_FILE; above += 1) {
      if (!(await this.#options.files.removeFolder(folder))) break;
      folder = dirname(folder);
    }
    return true;
  }

  async #loaded(): Promise<DeadLetterFile[]> {
    this.#listed ??= await listDeadLetterFiles(this.#options.files, this.#options.directory);
    return this.#listed;
  }

  /** After a failure, truncates unaccepted bytes now or before the next write; lists the files again if the open one was replaced. */
  async #orRollBack(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      if (error instanceof RecordMoved) {
        const open = this.#open;
        this.#open = undefined;
        this.#listed = undefined;
        this.#unsyncedFolders.clear();
        await open?.append.closeHandle().catch(() => undefined);
      } else await this.#open?.append.rollback().catch(() => undefined);
      throw error;
    }
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
  return await withFile(files, path, 'read', async (file) => {
    for (let end = await file.size(); end > 0; ) {
      const start = Math.max(0, end - CHUNK_BYTES);
      const last = (await file.read(start, end - start)).lastIndexOf(NEWLINE);
      if (last >= 0) return start + last + 1;
      end = start;
    }
    return 0;
  });
}

/** Returns the first millisecond of a UTC day. */
function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS;
}

/** Returns `<root>/rejected/<YYYY>/<MM>/<DD>`. */
function folderOfDay(directory: string, dayMs: number): string {
  const [year = '', month = '', day = ''] = new Date(dayMs).toISOString().slice(0, 10).split('-');
  return join(directory, DEAD_LETTER_FOLDER, year, month, day);
}

/** Returns `rejected.ndjson` for the first file of a day, `rejected-1.ndjson` for the next one. */
function deadLetterFileName(number: number): string {
  return number === 0 ? 'rejected.ndjson' : `rejected-${number}.ndjson`;
}

/** Returns the number of a file in its day; undefined for other files. */
function parseDeadLetterFileName(name: string): number | undefined {
  const match = /^rejected(?:-([1-9]\d{0,8}))?\.ndjson$/.exec(name);
  return match === null ? undefined : Number(match[1] ?? 0);
}

/** One file of dead letters. */
export interface DeadLetterFile {
  readonly path: string;
  /** First millisecond of its UTC day. */
  readonly dayMs: number;
  /** Index among the files of its day. */
  readonly number: number;
  bytes: number;
}

/** Lists the files of dead letters, oldest first; skips other files. */
export async function listDeadLetterFiles(files: StoreFiles, directory: string): Promise<DeadLetterFile[]> {
  const found: DeadLetterFile[] = [];
  let folders = [DEAD_LETTER_FOLDER];
  for (const _level of ['year', 'month', 'day']) folders = await foldersIn(files, directory, folders);
  for (const below of folders) {
    const dayMs = parseDay(below.slice(DEAD_LETTER_FOLDER.length + 1).replaceAll('/', '-'));
    if (dayMs === undefined) continue;
    const folder = join(directory, below);
    for (const { name, kind } of await files.list(folder)) {
      const number = kind === 'file' ? parseDeadLetterFileName(name) : undefined;
      if (number === undefined) continue;
      const path = join(folder, name);
      const stat = await files.stat(path);
      if (stat !== undefined) found.push({ path, dayMs, number, bytes: stat.bytes });
    }
  }
  return found.sort((a, b) => a.dayMs - b.dayMs || a.number - b.number);
}

/** Date.parse accepts February 31 as March 3, so the name must match the parsed date. */
function parseDay(date: string): number | undefined {
  const ms = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date) ? ms : undefined;
}
