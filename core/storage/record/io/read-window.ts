import type { ReadableFile } from '../../files/store-files.js';

/** Reads a file from front to back in large blocks. */
export interface ReadWindow {
  /** Exactly these bytes, or fewer at the end of the file; shares memory with the block. */
  bytesAt(offset: number, bytes: number): Promise<Buffer>;
}

/** Buffers one block of `blockBytes`; a longer range is read by itself. */
export function createReadWindow(file: ReadableFile, blockBytes: number): ReadWindow {
  let start = 0;
  let block: Buffer = Buffer.alloc(0);
  return {
    async bytesAt(offset, bytes) {
      if (offset < start || offset + bytes > start + block.length) {
        block = await file.read(offset, Math.max(bytes, blockBytes));
        start = offset;
      }
      return block.subarray(offset - start, offset - start + bytes);
    },
  };
}
