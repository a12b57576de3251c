import type { FileHandle } from 'node:fs/promises';
import type { FileCheckpoint } from './checkpoint-file.js';
import type { LogFileStat } from './log-file-stat.js';
import { SeenContent } from './seen-content.js';

/** A file that returns within this time is resumed at its offset. */
const FORGET_MS = 7 * 24 * 3_600_000;
const REMEMBERED_PER_FILE = 10;

/** Checkpoints of files that are not followed at the moment. */
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
