import type { ReadableFile } from '../../files/store-files.js';

/** Returns exactly these bytes, or fewer at the end of the file; they share memory with a block. */
export type ReadWindow = (offset: number, bytes: number) => Promise<Buffer>;

/** Reads a file from front to back, one block of `blockBytes` at a time; a longer range is read by itself. */
export function createReadWindow(file: ReadableFile, blockBytes: number): ReadWindow {
  let start = 0;
  let block: Buffer = Buffer.alloc(0);
  return async (offset, bytes) => {
    if (offset < start || offset + bytes > start + block.length) {
      block = await file.read(offset, Math.max(bytes, blockBytes));
      start = offset;
    }
    return block.subarray(offset - start, offset - start + bytes);
  };
}
