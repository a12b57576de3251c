import type { ReadableFile } from '../../files/store-files.js';

interface ScannedLine {
  /** Zero-based. */
  readonly number: number;
  readonly start: number;
  /** Without the newline; undefined if the line is too long. Shares memory with its neighbours. */
  readonly bytes: Buffer | undefined;
  /** The file ends without a newline. */
  readonly isTorn: boolean;
}

const NEWLINE = 0x0a;
const CHUNK_BYTES = 64 * 1024;

/** Yields all lines of a file in order, one array per read, including lines that are too long or torn. */
export async function* scanLines(file: ReadableFile, maxLineBytes: number): AsyncGenerator<ScannedLine[]> {
  let number = 0;
  let start = 0;
  let position = 0;
  /** Start of a line that continues in the next read; empty if it is too long. */
  let carried: Buffer = Buffer.alloc(0);
  for (;;) {
    const chunk = await file.read(position, CHUNK_BYTES);
    const lines: ScannedLine[] = [];
    let at = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, at)) {
      const isTooLong = position + end - start > maxLineBytes;
      const bytes = isTooLong ? undefined : join(carried, chunk.subarray(at, end));
      lines.push({ number, start, bytes, isTorn: false });
      number += 1;
      at = end + 1;
      start = position + at;
      carried = Buffer.alloc(0);
    }
    position += chunk.length;
    const isTooLong = position - start > maxLineBytes;
    carried = isTooLong ? Buffer.alloc(0) : join(carried, chunk.subarray(at));
    const isLast = chunk.length < CHUNK_BYTES;
    if (isLast && position > start) lines.push({ number, start, bytes: isTooLong ? undefined : carried, isTorn: true });
    if (lines.length > 0) yield lines;
    if (isLast) return;
  }
}

function join(first: Buffer, second: Buffer): Buffer {
  return first.length === 0 ? second : Buffer.concat([first, second]);
}
