import { hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';

/** Identifies the content of a file up to a position. */
export interface ContentMark {
  /** Position in bytes. */
  readonly at: number;
  /** SHA-256 over the first and the last of them, at most 1 KiB of each, in hexadecimal. */
  readonly sha256: string;
}

const EDGE_BYTES = 1_024;

/** The first and last bytes read, which change only if the file was emptied or replaced; many logs begin with the same text, so both count. */
export class SeenContent {
  /** The first bytes that were read, at most 1 KiB. */
  head: Buffer;
  #tail: Buffer;
  /** Bytes read. */
  at: number;

  private constructor(head: Buffer, tail: Buffer, at: number) {
    this.head = head;
    this.#tail = tail;
    this.at = at;
  }

  static none(): SeenContent {
    return new SeenContent(Buffer.alloc(0), Buffer.alloc(0), 0);
  }

  /** Loads the content up to a position; undefined if the file is shorter. */
  static async upTo(file: FileHandle, at: number): Promise<SeenContent | undefined> {
    const edge = Math.min(EDGE_BYTES, at);
    const [head, tail] = [await readAt(file, 0, edge), await readAt(file, at - edge, edge)];
    return tail.length < edge ? undefined : new SeenContent(head, tail, at);
  }

  /** Adds the next bytes, copying what it stores. */
  add(chunk: Buffer): void {
    if (this.head.length < EDGE_BYTES) {
      this.head = Buffer.concat([this.head, chunk.subarray(0, EDGE_BYTES - this.head.length)]);
    }
    const last = chunk.length < EDGE_BYTES ? Buffer.concat([this.#tail, chunk]) : chunk;
    this.#tail = Buffer.from(last.subarray(Math.max(0, last.length - EDGE_BYTES)));
    this.at += chunk.length;
  }

  mark(): ContentMark {
    return { at: this.at, sha256: hash('sha256', Buffer.concat([this.head, this.#tail]), 'hex') };
  }

  /** Whether the file still holds what was read of it. */
  async isIn(file: FileHandle): Promise<boolean> {
    if (this.at === 0) return true;
    const tail = await readAt(file, this.at - this.#tail.length, this.#tail.length);
    if (!tail.equals(this.#tail)) return false;
    return this.at <= EDGE_BYTES || (await readAt(file, 0, this.head.length)).equals(this.head);
  }
}

async function readAt(file: FileHandle, position: number, bytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(bytes);
  let filled = 0;
  while (filled < bytes) {
    const { bytesRead } = await file.read(buffer, filled, bytes - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
