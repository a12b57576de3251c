import type { ReadableFile } from '../files/store-files.js';

const NEWLINE = 0x0a;
const CHUNK_BYTES = 1024 * 1024;

/**
 * The whole lines of a file from the last to the first, without their newlines; what follows the last newline is not given. A line over the bound
 * is given as undefined and not kept.
 */
export async function* linesFromEnd(file: ReadableFile, maxLineBytes: number): AsyncGenerator<Buffer | undefined> {
  let hasEnd = false;
  /** What was read of the line at which we are: its last parts. */
  let parts: Buffer[] = [];
  let partBytes = 0;
  const finish = (start: Buffer): Buffer | undefined =>
    partBytes + start.length > maxLineBytes ? undefined : Buffer.concat([start, ...parts]);

  for (let position = await file.size(); position > 0; ) {
    const from = Math.max(0, position - CHUNK_BYTES);
    const chunk = await file.read(from, position - from);
    let end = chunk.length;
    while (end > 0) {
      const newline = chunk.lastIndexOf(NEWLINE, end - 1);
      if (newline < 0) break;
      if (hasEnd) yield finish(chunk.subarray(newline + 1, end));
      hasEnd = true;
      parts = [];
      partBytes = 0;
      end = newline;
    }
    partBytes += end;
    parts = partBytes > maxLineBytes ? [] : [chunk.subarray(0, end), ...parts];
    position = from;
  }
  if (hasEnd) yield finish(Buffer.alloc(0));
}
