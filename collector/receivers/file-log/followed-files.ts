import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { reasonOf } from '../../../core/storage/record/append-faults.js';
import type { FileCheckpoint } from './checkpoint.js';
import type { FileFinder } from './file-finder.js';
import { type FileStat, fileStatOf } from './file-stat.js';
import { FollowedFile, type FollowOptions } from './followed-file.js';
import { KnownFiles } from './known-files.js';
import { pathOf, statOf } from './locate-file.js';
import type { OnceWarner } from './once-warner.js';
import { SeenContent } from './seen-content.js';

/** Which files are followed, and how. */
export interface FollowedFilesOptions extends FollowOptions {
  readonly finder: FileFinder;
  readonly maxFiles: number;
  /** How long a file is held open that was renamed to a name which is not looked for and is quiet, milliseconds. */
  readonly rotatedQuietMs: number;
  readonly warner: OnceWarner;
  /** Milliseconds since the epoch. */
  readonly nowMs: () => number;
}

/** Where a file begins of which nothing is known: nowhere, when it is only wanted for what is known of it. */
type StartAt = 'beginning' | 'end' | 'checkpoint';

/** The files that are followed: finds new ones, knows renamed ones by device and inode, lets go of those that are gone. Its calls must not overlap. */
export class FollowedFiles {
  readonly #options: FollowedFilesOptions;
  readonly #followed = new Map<string, FollowedFile>();
  readonly #known: KnownFiles;
  /** Length of files that were there at the first look and could not be followed then. */
  readonly #firstLengths = new Map<string, number>();

  constructor(options: FollowedFilesOptions) {
    this.#options = options;
    this.#known = new KnownFiles(options.maxFiles);
  }

  /** Files in the order in which they should be read: renamed ones first, because the new one of their name was written after them. */
  get inReadingOrder(): FollowedFile[] {
    const all = [...this.#followed.values()];
    return [...all.filter((file) => file.isGone), ...all.filter((file) => !file.isGone)];
  }

  /** Takes what is known from before, once, before the first look. */
  restore(checkpoints: readonly FileCheckpoint[]): void {
    for (const checkpoint of checkpoints) this.#known.add(checkpoint);
  }

  /** The first look. Files without a checkpoint begin at `startAt`; files with one that were renamed meanwhile are looked for. */
  async lookFirst(startAt: 'beginning' | 'end'): Promise<void> {
    await this.#look(startAt);
    for (const checkpoint of this.#known.all(this.#options.nowMs())) {
      const path = await pathOf(checkpoint);
      const found = path === undefined ? undefined : await statOf(path);
      if (path === undefined || found === undefined || this.#followed.has(found.key)) continue;
      await this.#open(path, found, 'checkpoint');
      const file = this.#followed.get(found.key);
      if (file !== undefined) file.goneSinceMs = performance.now();
    }
  }

  /** Every later look. Answers whether something changed that a checkpoint should tell. */
  look(): Promise<boolean> {
    return this.#look('beginning');
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

  async #look(startAt: 'beginning' | 'end'): Promise<boolean> {
    const { finder, warner } = this.#options;
    const seen = new Set<string>();
    let isChanged = false;
    for (const path of await finder.paths()) {
      try {
        const found = await statOf(path);
        if (found === undefined || seen.has(found.key)) continue;
        seen.add(found.key);
        const followed = this.#followed.get(found.key);
        const isNews =
          followed === undefined ? await this.#open(path, found, startAt) : await noticeUnder(followed, path, found);
        isChanged ||= isNews;
        if (followed !== undefined) this.#warnOfRefusal(followed);
      } catch (error) {
        warner.warn(path, reasonOf(error), 'a log file cannot be looked at; it is tried again');
      }
    }
    return (await this.#noticeGone(seen)) || isChanged;
  }

  /** Files that are followed and were not found under a name: renamed, or deleted. */
  async #noticeGone(found: ReadonlySet<string>): Promise<boolean> {
    let isChanged = false;
    for (const [key, file] of this.#followed) {
      if (found.has(key)) continue;
      file.goneSinceMs ??= performance.now();
      const now = await file.statNow();
      const { isDeleted } = now;
      isChanged = (await file.notice(now)) || isChanged;
      const quietMs = isDeleted ? this.#options.flushMs : this.#options.rotatedQuietMs;
      if (!file.isQuietFor(quietMs, performance.now())) continue;
      this.#followed.delete(key);
      // The inode of a deleted file may be that of another one tomorrow.
      if (!isDeleted) this.#known.add(file.checkpoint(this.#options.nowMs()));
      await file.close();
      isChanged = true;
    }
    return isChanged;
  }

  /** Answers whether it is followed now. */
  async #open(path: string, found: FileStat, startAt: StartAt): Promise<boolean> {
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
      // A pipe that took the name meanwhile must not hold us up.
      const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
      warner.isWell(path);
      const file = await this.#follow(path, handle, startAt).catch(async (error: unknown) => {
        await handle.close();
        throw error;
      });
      if (file === undefined) await handle.close();
      return file !== undefined;
    } catch (error) {
      if (startAt === 'end') this.#firstLengths.set(found.key, found.size);
      warner.warn(path, reasonOf(error), 'a log file cannot be opened; it is tried again');
      return false;
    }
  }

  async #follow(path: string, handle: FileHandle, startAt: StartAt): Promise<FollowedFile | undefined> {
    const opened = fileStatOf(await handle.stat({ bigint: true }));
    if (opened === undefined || this.#followed.has(opened.key)) return undefined;
    const known = await this.#known.take(path, opened, handle);
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

async function noticeUnder(file: FollowedFile, path: string, found: FileStat): Promise<boolean> {
  file.path = path;
  file.goneSinceMs = undefined;
  return await file.notice(found);
}
