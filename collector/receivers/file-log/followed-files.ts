import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { reasonOf } from '../../../core/storage/record/append-faults.js';
import type { FileCheckpoint } from './checkpoint-file.js';
import { FollowedFile, type FollowedFileOptions } from './followed-file.js';
import { findLogFiles, findRenamed, type LogFileStat, statLogFile, toLogFileStat } from './log-file-stat.js';
import type { OnceWarner } from './once-warner.js';
import { SeenContent } from './seen-content.js';

interface FollowedFilesOptions extends FollowedFileOptions {
  /** Globs. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly maxFiles: number;
  /** How long a renamed file that no pattern matches is held open after its last growth, milliseconds. */
  readonly rotatedQuietMs: number;
  readonly warner: OnceWarner;
  /** Milliseconds since the epoch. */
  readonly nowMs: () => number;
}

/** Where to start a file without a checkpoint; `checkpoint`: do not follow it. */
type StartAt = 'beginning' | 'end' | 'checkpoint';

/** The followed files: finds new ones, recognises renamed ones by device and inode, closes those that are gone. Calls must not overlap. */
export class FollowedFiles {
  readonly #options: FollowedFilesOptions;
  readonly #followed = new Map<string, FollowedFile>();
  readonly #known: KnownFiles;
  /** Length of files that the first scan found and could not follow. */
  readonly #firstLengths = new Map<string, number>();

  constructor(options: FollowedFilesOptions) {
    this.#options = options;
    this.#known = new KnownFiles(options.maxFiles);
  }

  /** Renamed files first, because the new file of their name was written after them. */
  get inReadingOrder(): FollowedFile[] {
    const all = [...this.#followed.values()];
    return [...all.filter((file) => file.isGone), ...all.filter((file) => !file.isGone)];
  }

  /** Restores checkpoints; call once, before the first scan. */
  restore(checkpoints: readonly FileCheckpoint[]): void {
    for (const checkpoint of checkpoints) this.#known.add(checkpoint);
  }

  /** The first scan. Files without a checkpoint begin at `startAt`; files with one that were renamed since are searched for. */
  async scanFirst(startAt: 'beginning' | 'end'): Promise<void> {
    await this.#scan(startAt);
    for (const checkpoint of this.#known.all(this.#options.nowMs())) {
      const path = await findRenamed(checkpoint);
      const found = path === undefined ? undefined : await statLogFile(path);
      if (path === undefined || found === undefined || this.#followed.has(found.key)) continue;
      await this.#open(path, found, 'checkpoint');
      const file = this.#followed.get(found.key);
      if (file !== undefined) file.goneSinceMs = performance.now();
    }
  }

  /** Every later scan. Returns whether the checkpoint changed. */
  scan(): Promise<boolean> {
    return this.#scan('beginning');
  }

  checkpoints(): FileCheckpoint[] {
    const nowMs = this.#options.nowMs();
    const followed = [...this.#followed.values()].map((file) => file.checkpoint(nowMs));
    return [...followed, ...this.#known.all(nowMs)];
  }

  async close(): Promise<void> {
    const open = [...this.#followed.values()];
    this.#followed.clear();
    await Promise.all(open.map((file) => file.close()));
  }

  async #scan(startAt: 'beginning' | 'end'): Promise<boolean> {
    const { include, exclude, warner } = this.#options;
    const seen = new Set<string>();
    let isChanged = false;
    for (const path of await findLogFiles(include, exclude)) {
      try {
        const found = await statLogFile(path);
        if (found === undefined || seen.has(found.key)) continue;
        seen.add(found.key);
        const followed = this.#followed.get(found.key);
        const isNews =
          followed === undefined ? await this.#open(path, found, startAt) : await updateName(followed, path, found);
        isChanged ||= isNews;
        if (followed !== undefined) this.#warnOfRefusal(followed);
      } catch (error) {
        warner.warn(path, reasonOf(error), 'a log file cannot be inspected; retrying');
      }
    }
    return (await this.#checkGone(seen)) || isChanged;
  }

  /** Checks followed files that were not found: renamed or deleted. */
  async #checkGone(found: ReadonlySet<string>): Promise<boolean> {
    let isChanged = false;
    for (const [key, file] of this.#followed) {
      if (found.has(key)) continue;
      file.goneSinceMs ??= performance.now();
      const now = await file.statNow();
      const { isDeleted } = now;
      isChanged = (await file.update(now)) || isChanged;
      const quietMs = isDeleted ? this.#options.flushMs : this.#options.rotatedQuietMs;
      if (!file.isQuietFor(quietMs, performance.now())) continue;
      this.#followed.delete(key);
      // The inode of a deleted file may be reused.
      if (!isDeleted) this.#known.add(file.checkpoint(this.#options.nowMs()));
      await file.close();
      isChanged = true;
    }
    return isChanged;
  }

  /** Returns whether the file is followed now. */
  async #open(path: string, found: LogFileStat, startAt: StartAt): Promise<boolean> {
    const { maxFiles, warner } = this.#options;
    try {
      if (this.#followed.size >= maxFiles) {
        if (startAt === 'end') this.#firstLengths.set(found.key, found.size);
        warner.warn(
          path,
          'max_files',
          `${maxFiles} files are followed, and this one is left alone; raise \`max_files\` or leave files out`,
        );
        return false;
      }
      // Opening a pipe that took the name must not block.
      const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
      warner.clear(path);
      const file = await this.#follow(path, handle, startAt).catch(async (error: unknown) => {
        await handle.close();
        throw error;
      });
      if (file === undefined) await handle.close();
      return file !== undefined;
    } catch (error) {
      if (startAt === 'end') this.#firstLengths.set(found.key, found.size);
      warner.warn(path, reasonOf(error), 'a log file cannot be opened; retrying');
      return false;
    }
  }

  async #follow(path: string, handle: FileHandle, startAt: StartAt): Promise<FollowedFile | undefined> {
    const opened = toLogFileStat(await handle.stat({ bigint: true }));
    if (opened === undefined || this.#followed.has(opened.key)) return undefined;
    const known = await this.#known.resume(path, opened, handle);
    if (known === undefined && startAt === 'checkpoint') return undefined;
    const firstLength = this.#firstLengths.get(opened.key);
    const from = startAt === 'end' ? opened.size : (firstLength ?? 0);
    const seen = known?.seen ?? (await SeenContent.upTo(handle, from)) ?? SeenContent.none();
    const named = known === undefined ? {} : { file: known.file };
    const followed = new FollowedFile({ path, stat: opened, handle, seen, ...named }, this.#options, performance.now());
    this.#firstLengths.delete(opened.key);
    this.#followed.set(opened.key, followed);
    this.#warnOfRefusal(followed);
    return followed;
  }

  #warnOfRefusal({ refusal, path }: FollowedFile): void {
    if (refusal !== undefined) this.#options.warner.warn(path, refusal, 'a log file is not read');
  }
}

async function updateName(file: FollowedFile, path: string, found: LogFileStat): Promise<boolean> {
  file.path = path;
  file.goneSinceMs = undefined;
  return await file.update(found);
}

/** A file that returns within this time is resumed at its offset. */
const FORGET_MS = 7 * 24 * 3_600_000;
const REMEMBERED_PER_FILE = 10;

/** Checkpoints of files that are not followed at the moment. */
class KnownFiles {
  readonly #maxFiles: number;
  readonly #checkpoints = new Map<string, FileCheckpoint>();

  constructor(maxFollowed: number) {
    this.#maxFiles = maxFollowed * REMEMBERED_PER_FILE;
  }

  add(checkpoint: FileCheckpoint): void {
    const key = `${checkpoint.device}-${checkpoint.inode}`;
    this.#checkpoints.delete(key);
    this.#checkpoints.set(key, checkpoint);
    for (const [oldest] of this.#checkpoints) {
      if (this.#checkpoints.size <= this.#maxFiles) break;
      this.#checkpoints.delete(oldest);
    }
  }

  /** Returns those that have not expired. */
  all(nowMs: number): FileCheckpoint[] {
    for (const [key, { seen_at_ms: seenAtMs }] of this.#checkpoints) {
      if (nowMs - seenAtMs > FORGET_MS) this.#checkpoints.delete(key);
    }
    return [...this.#checkpoints.values()];
  }

  /** Returns how far an opened file was read, if it still has that content, and removes its checkpoint. */
  async resume(
    path: string,
    stat: LogFileStat,
    handle: FileHandle,
  ): Promise<{ file: string; seen: SeenContent } | undefined> {
    for (const [key, known] of this.#candidates(path, stat)) {
      const marked = await SeenContent.upTo(handle, known.mark.at);
      if (marked?.mark().sha256 !== known.mark.sha256) continue;
      const seen = await SeenContent.upTo(handle, known.offset);
      if (seen === undefined) continue;
      this.#checkpoints.delete(key);
      return { file: known.file, seen };
    }
    // The inode was reused.
    this.#checkpoints.delete(stat.key);
    return undefined;
  }

  /** By device and inode. Device numbers may change at boot, so the same inode at the same path matches too. */
  #candidates(path: string, { key, inode, born }: LogFileStat): [string, FileCheckpoint][] {
    return [...this.#checkpoints].filter(([knownKey, known]) => {
      if (born !== '' && known.born !== '' && born !== known.born) return false;
      return knownKey === key || (known.inode === inode && known.path === path);
    });
  }
}
