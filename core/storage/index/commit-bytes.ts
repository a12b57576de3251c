import fs from 'node:fs';
import { lineStarts } from '../record/commit-lines.js';
import { commitChecksum } from '../record/commit-record.js';
import type { CommitContent } from './line-packer.js';

/** Which bytes of a file a commit record speaks of. */
export interface CommitPlace {
  /** Absolute. */
  readonly path: string;
  readonly offset: number;
  readonly bytes: number;
  readonly lines: number;
  readonly crc32c: string;
}

const MAX_OPEN_FILES = 64;
/** Memory that is used again; a longer commit, which is one line, gets its own. */
const KEPT_BYTES = 1024 * 1024;

/** Reads commits in a thread that has nothing else to do meanwhile, and keeps the files open. */
export class CommitBytes {
  /** Least recently used first. */
  readonly #descriptors = new Map<string, number>();
  readonly #memory = Buffer.allocUnsafeSlow(KEPT_BYTES);

  /** What a commit record speaks of, until the next call; undefined where it is not there as it was written, or cannot be read. */
  read({ path, offset, bytes, lines, crc32c }: CommitPlace): CommitContent | undefined {
    const found = this.#bytesAt(path, offset, bytes);
    if (found === undefined || commitChecksum(found) !== crc32c) return undefined;
    const starts = lineStarts(found, lines);
    return starts && { bytes: found, starts };
  }

  #bytesAt(path: string, offset: number, bytes: number): Buffer | undefined {
    try {
      const descriptor = this.#open(path);
      // A number from a damaged record must not become memory.
      if (bytes > KEPT_BYTES && fs.fstatSync(descriptor).size < offset + bytes) return undefined;
      const memory = bytes > KEPT_BYTES ? Buffer.allocUnsafeSlow(bytes) : this.#memory.subarray(0, bytes);
      for (let filled = 0; filled < bytes; ) {
        const count = fs.readSync(descriptor, memory, filled, bytes - filled, offset + filled);
        if (count === 0) return undefined;
        filled += count;
      }
      return memory;
    } catch {
      // Whoever asked reads it again, and is told by the system what is wrong.
      return undefined;
    }
  }

  #open(path: string): number {
    const known = this.#descriptors.get(path);
    const descriptor = known ?? fs.openSync(path, 'r');
    this.#descriptors.delete(path);
    this.#descriptors.set(path, descriptor);
    for (const [oldest, other] of this.#descriptors) {
      if (this.#descriptors.size <= MAX_OPEN_FILES) break;
      this.#descriptors.delete(oldest);
      fs.closeSync(other);
    }
    return descriptor;
  }
}
