import type { ReadableFile } from '../../files/store-files.js';

/** Reads a file from front to back in large portions. */
export interface ReadWindow {
  /** Exactly these bytes, or fewer where the file ends; shares memory with what is near. */
  bytesAt(offset: number, bytes: number): Promise<Buffer>;
}

/** Keeps one portion of `portionBytes`; a longer piece is read by itself. */
export function createReadWindow(file: ReadableFile, portionBytes: number): ReadWindow {
  let start = 0;
  let portion: Buffer = Buffer.alloc(0);
  return {
    async bytesAt(offset, bytes) {
      if (offset < start || offset + bytes > start + portion.length) {
        portion = await file.read(offset, Math.max(bytes, portionBytes));
        start = offset;
      }
      return portion.subarray(offset - start, offset - start + bytes);
    },
  };
}
