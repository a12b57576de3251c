import { randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { beginTimeSlice } from '../../../core/time-slice.js';
import type { FailureLines, TextFailure } from '../../log-parsing/text-failure.js';
import type { FileCheckpoint } from './checkpoint.js';
import { type FileLine, FileLines } from './file-lines.js';
import type { FoundFailure } from './file-record.js';
import { type FileStat, fileStatOf } from './file-stat.js';
import { SeenContent } from './seen-content.js';

/** What all followed files have in common. */
export interface FollowOptions {
  readonly createLines: () => FailureLines;
  readonly maxLineBytes: number;
  /** How long half a line or half a trace waits, milliseconds. */
  readonly flushMs: number;
}

/** A file that was opened, and where its reading begins. */
export interface OpenedFile {
  /** Absolute. */
  readonly path: string;
  readonly stat: FileStat;
  readonly handle: FileHandle;
  /** What lies before the place where reading begins. */
  readonly seen: SeenContent;
  /** What the file is called in a checkpoint; absent: it has no name yet. */
  readonly file?: string;
}

/** One log file that is held open and read as it grows. Owns the handle. Its calls must not overlap; times are of one clock that only goes forward. */
export class FollowedFile {
  /** Under which it was found last. */
  path: string;
  /** When it was found to be under no name any more that is looked for; undefined while it is under one. */
  goneSinceMs: number | undefined;
  readonly #handle: FileHandle;
  readonly #options: FollowOptions;
  #file: string;
  #stat: FileStat;
  #seen: SeenContent;
  #lines: FileLines;
  #failures: FailureLines;
  #found: FoundFailure[] = [];
  #isAtEnd = false;
  /** The system refused to read; every look is a new try. */
  #isRefused = false;
  /** Since when nothing came. */
  #quietSinceMs: number;

  constructor({ path, stat, handle, seen, file }: OpenedFile, options: FollowOptions, nowMs: number) {
    this.path = path;
    this.#handle = handle;
    this.#options = options;
    this.#file = file ?? newIdentity(stat);
    this.#stat = stat;
    this.#seen = seen;
    this.#lines = new FileLines(seen.at, options.maxLineBytes);
    this.#failures = options.createLines();
    this.#quietSinceMs = nowMs;
  }

  /** Why the file is not read, undefined when it is. */
  get refusal(): string | undefined {
    return refusalOf(this.#seen.head);
  }

  /** Everything that was there at the last look is read. */
  get isAtEnd(): boolean {
    return this.#isAtEnd || this.refusal !== undefined;
  }

  get isGone(): boolean {
    return this.goneSinceMs !== undefined;
  }

  /** Nothing came for so long, and all that came is taken. */
  isQuietFor(ms: number, nowMs: number): boolean {
    if (!this.isAtEnd || this.isWaiting || this.#found.length > 0) return false;
    return nowMs - Math.max(this.#quietSinceMs, this.goneSinceMs ?? 0) >= ms;
  }

  /** Takes note of what the file looks like now. One that was emptied is read from its beginning; answers whether it was. */
  async notice(stat: FileStat): Promise<boolean> {
    const before = this.#stat;
    this.#stat = stat;
    if (stat.size === before.size && stat.modified === before.modified && !this.#isRefused) return false;
    this.#isAtEnd = false;
    this.#isRefused = false;
    if (stat.size >= this.#seen.at && (await this.#seen.isIn(this.#handle))) return false;
    this.#beginAnew();
    return true;
  }

  /** What the file system says now of a file that has no known name. */
  async statNow(): Promise<FileStat> {
    return fileStatOf(await this.#handle.stat({ bigint: true })) ?? this.#stat;
  }

  /** Reads on, at most so many bytes, and finds failures in them. Answers the number of bytes; throws what the system does. */
  async read(buffer: Buffer, maxBytes: number, nowMs: number): Promise<number> {
    try {
      return await this.#read(buffer, maxBytes, nowMs);
    } catch (error) {
      this.#isRefused = true;
      this.#isAtEnd = true;
      throw error;
    }
  }

  /** Takes what waits for its rest as it is, when nothing came for long enough. Answers whether there was something. */
  flushIfDue(nowMs: number): boolean {
    if (!this.#isAtEnd || !this.isWaiting || nowMs - this.#quietSinceMs < this.#options.flushMs) return false;
    this.#flush();
    return true;
  }

  /** The failures that were found since the last call. The caller must hand them on or keep them in a checkpoint. */
  takeFound(): FoundFailure[] {
    const found = this.#found;
    this.#found = [];
    return found;
  }

  /** Valid once everything found was taken. */
  checkpoint(seenAtMs: number): FileCheckpoint {
    const { device, inode, born } = this.#stat;
    const offset = Math.min(this.#failures.waitingFrom ?? Number.POSITIVE_INFINITY, this.#lines.from);
    return { file: this.#file, device, inode, born, path: this.path, offset, mark: this.#seen.mark(), seenAtMs };
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  /** Something waits for its rest. */
  get isWaiting(): boolean {
    return this.#lines.from < this.#seen.at || this.#failures.waitingFrom !== undefined;
  }

  async #read(buffer: Buffer, maxBytes: number, nowMs: number): Promise<number> {
    const slice = beginTimeSlice();
    let read = 0;
    while (!this.isAtEnd && read < maxBytes) {
      const { bytesRead } = await this.#handle.read(buffer, 0, Math.min(buffer.length, maxBytes - read), this.#seen.at);
      if (bytesRead === 0) this.#isAtEnd = true;
      const chunk = buffer.subarray(0, bytesRead);
      this.#seen.add(chunk);
      if (this.refusal !== undefined) return read;
      for (const line of this.#lines.push(chunk)) {
        this.#take(line);
        if (slice.isOver) await slice.next();
      }
      read += bytesRead;
    }
    if (read > 0) this.#quietSinceMs = nowMs;
    return read;
  }

  #take(line: FileLine): void {
    this.#keep(this.#failures.push(line.text, line.span));
  }

  #keep(failures: readonly TextFailure[]): void {
    for (const failure of failures) this.#found.push({ failure, path: this.path, file: this.#file });
  }

  #flush(): void {
    const rest = this.#lines.rest();
    if (rest !== undefined) this.#take(rest);
    this.#keep(this.#failures.flush());
  }

  #beginAnew(): void {
    this.#flush();
    this.#file = newIdentity(this.#stat);
    this.#seen = SeenContent.none();
    this.#lines = new FileLines(0, this.#options.maxLineBytes);
    this.#failures = this.#options.createLines();
  }
}

/** The random part tells what a file holds now from what it held before it was emptied, and from a file that had its inode before. */
function newIdentity({ key }: FileStat): string {
  return `${key}-${randomBytes(6).toString('hex')}`;
}

const BEGINNINGS: readonly (readonly [readonly number[], string])[] = [
  [[0xff, 0xfe], 'it is UTF-16; have the program write UTF-8'],
  [[0xfe, 0xff], 'it is UTF-16; have the program write UTF-8'],
  [[0x1f, 0x8b], 'it is compressed by gzip; leave such files out with `exclude`'],
  [[0x28, 0xb5, 0x2f, 0xfd], 'it is compressed by zstd; leave such files out with `exclude`'],
];

/** Why a file that begins with these bytes is not read; undefined for text. */
function refusalOf(head: Buffer): string | undefined {
  return BEGINNINGS.find(([bytes]) => bytes.every((byte, place) => head[place] === byte))?.[1];
}
