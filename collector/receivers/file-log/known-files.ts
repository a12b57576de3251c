import type { FileHandle } from 'node:fs/promises';
import type { FileCheckpoint } from './checkpoint.js';
import type { FileStat } from './file-stat.js';
import { SeenContent } from './seen-content.js';

/** A file that is back is read on where it was left, so long after it was there last. */
const FORGET_MS = 7 * 24 * 3_600_000;
/** How many are remembered for each file that may be followed. */
const REMEMBERED_PER_FILE = 10;

/** Files that are not followed at the moment and of which is known how far they were read. */
export class KnownFiles {
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

  /** Those that are worth keeping. */
  all(nowMs: number): FileCheckpoint[] {
    for (const [key, { seenAtMs }] of this.#checkpoints) {
      if (nowMs - seenAtMs > FORGET_MS) this.#checkpoints.delete(key);
    }
    return [...this.#checkpoints.values()];
  }

  /** How far an opened file was read, when it is one of these and still holds what was read; it is none of these afterwards. */
  async take(
    path: string,
    stat: FileStat,
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
    // The inode is another file now.
    this.#checkpoints.delete(stat.key);
    return undefined;
  }

  /** By device and inode; devices may be numbered anew when the machine starts, so the same inode under the same path will do. */
  #candidates(path: string, { key, inode, born }: FileStat): [string, FileCheckpoint][] {
    return [...this.#checkpoints].filter(([knownKey, known]) => {
      if (born !== '' && known.born !== '' && born !== known.born) return false;
      return knownKey === key || (known.inode === inode && known.path === path);
    });
  }
}
