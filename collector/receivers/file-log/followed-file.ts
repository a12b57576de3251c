import { randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { beginTimeSlice } from '../../../core/time-slice.js';
import type { FileCheckpoint } from './checkpoint-file.js';
import { type FileFailure, FileFailures, type FileFailuresOptions } from './file-failures.js';
import type { FoundFailure } from './file-record.js';
import { type LogFileStat, toLogFileStat } from './log-file-stat.js';
import { LogLineSplitter } from './log-line-splitter.js';
import { SeenContent } from './seen-content.js';

/** Options that all followed files share. */
export interface FollowedFileOptions extends FileFailuresOptions {
  /** How long a partial line or trace waits, milliseconds. */
  readonly flushMs: number;
}

/** An opened file and its starting position. */
interface OpenedFile {
  /** Absolute. */
  readonly path: string;
  readonly stat: LogFileStat;
  readonly handle: FileHandle;
  /** Content before the starting position. */
  readonly seen: SeenContent;
  /** Identity in a checkpoint; missing for a new file. */
  readonly file?: string;
}

/** One log file that is read as it grows. Owns the handle. Calls must not overlap; times are monotonic. */
export class FollowedFile {
  /** Last known path. */
  path: string;
  /** When no pattern matched any more; undefined while one matches. */
  goneSinceMs: number | undefined;
  readonly #handle: FileHandle;
  readonly #options: FollowedFileOptions;
  #file: string;
  #stat: LogFileStat;
  #seen: SeenContent;
  #lines: LogLineSplitter;
  #failures: FileFailures;
  #found: FoundFailure[] = [];
  #isAtEnd = false;
  /** Reading failed; the next scan retries. */
  #isRefused = false;
  /** Time of the last growth. */
  #quietSinceMs: number;

  constructor({ path, stat, handle, seen, file }: OpenedFile, options: FollowedFileOptions, nowMs: number) {
    this.path = path;
    this.#handle = handle;
    this.#options = options;
    this.#file = file ?? newIdentity(stat);
    this.#stat = stat;
    this.#seen = seen;
    this.#lines = newSplitter(seen.at, options);
    this.#failures = new FileFailures(options);
    this.#quietSinceMs = nowMs;
  }

  /** Why the file is not read; undefined if it is. */
  get refusal(): string | undefined {
    return refusalOf(this.#seen.head);
  }

  /** All content of the last scan is read. */
  get isAtEnd(): boolean {
    return this.#isAtEnd || this.refusal !== undefined;
  }

  get isGone(): boolean {
    return this.goneSinceMs !== undefined;
  }

  /** Whether all is read and the file has not grown for `ms`. */
  isQuietFor(ms: number, nowMs: number): boolean {
    if (!this.isAtEnd || this.hasPartial || this.#found.length > 0) return false;
    return nowMs - Math.max(this.#quietSinceMs, this.goneSinceMs ?? 0) >= ms;
  }

  /** Updates the state; returns true if the file was emptied and is read from its beginning. */
  async update(stat: LogFileStat): Promise<boolean> {
    const before = this.#stat;
    this.#stat = stat;
    if (stat.size === before.size && stat.modified === before.modified && !this.#isRefused) return false;
    this.#isAtEnd = false;
    this.#isRefused = false;
    if (stat.size >= this.#seen.at && (await this.#seen.isIn(this.#handle))) return false;
    this.#restart();
    return true;
  }

  /** Returns the state of a file without a known path. */
  async statNow(): Promise<LogFileStat> {
    return toLogFileStat(await this.#handle.stat({ bigint: true })) ?? this.#stat;
  }

  /** Reads at most `maxBytes` and finds failures in them. Returns the bytes read; throws system errors. */
  async read(buffer: Buffer, maxBytes: number, nowMs: number): Promise<number> {
    const slice = beginTimeSlice();
    let read = 0;
    try {
      while (!this.isAtEnd && read < maxBytes) {
        const wanted = Math.min(buffer.length, maxBytes - read);
        const { bytesRead } = await this.#handle.read(buffer, 0, wanted, this.#seen.at);
        if (bytesRead === 0) this.#isAtEnd = true;
        const chunk = buffer.subarray(0, bytesRead);
        this.#seen.add(chunk);
        if (this.refusal !== undefined) return read;
        for (const line of this.#lines.push(chunk)) {
          this.#addFound(this.#failures.push(line, nowMs));
          if (slice.isOver) await slice.next();
        }
        read += bytesRead;
      }
      if (read > 0) this.#quietSinceMs = nowMs;
      return read;
    } catch (error) {
      this.#isRefused = true;
      this.#isAtEnd = true;
      throw error;
    }
  }

  /** Flushes a partial line or trace after `flushMs` without growth, of its stream or of the file. Returns whether there was one. */
  flushIfDue(nowMs: number): boolean {
    if (!this.#isAtEnd || !this.hasPartial) return false;
    const sinceMs = nowMs - this.#options.flushMs;
    const isQuiet = this.#quietSinceMs <= sinceMs;
    if (isQuiet) this.#flush(nowMs);
    else this.#addFound(this.#failures.flush(sinceMs));
    return isQuiet || this.#found.length > 0;
  }

  /** Returns and removes the failures found since the last call; the caller must forward or checkpoint them. */
  drainFound(): FoundFailure[] {
    const found = this.#found;
    this.#found = [];
    return found;
  }

  /** Valid after `drainFound`. */
  checkpoint(seen_at_ms: number): FileCheckpoint {
    const { device, inode, born } = this.#stat;
    const offset = Math.min(this.#failures.waitingFrom, this.#lines.from);
    return { file: this.#file, device, inode, born, path: this.path, offset, mark: this.#seen.mark(), seen_at_ms };
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  /** Whether a line or trace is incomplete. */
  get hasPartial(): boolean {
    return Math.min(this.#failures.waitingFrom, this.#lines.from) < this.#seen.at;
  }

  #addFound(failures: readonly FileFailure[]): void {
    for (const found of failures) this.#found.push({ ...found, path: this.path, file: this.#file });
  }

  #flush(nowMs: number): void {
    const rest = this.#lines.rest();
    if (rest !== undefined) this.#addFound(this.#failures.push(rest, nowMs));
    this.#addFound(this.#failures.flush());
  }

  #restart(): void {
    this.#flush(this.#quietSinceMs);
    this.#file = newIdentity(this.#stat);
    this.#seen = SeenContent.none();
    this.#lines = newSplitter(0, this.#options);
    this.#failures = new FileFailures(this.#options);
  }
}

/** A line of a container runtime holds up to 16 KiB of text, escaped. */
const CONTAINER_LINE_BYTES = 128 * 1024;

function newSplitter(from: number, { format, maxLineBytes }: FollowedFileOptions): LogLineSplitter {
  return new LogLineSplitter(from, format === 'plain' ? maxLineBytes : Math.max(maxLineBytes, CONTAINER_LINE_BYTES));
}

/** The random part distinguishes contents before and after the file was emptied or its inode reused. */
function newIdentity({ key }: LogFileStat): string {
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
