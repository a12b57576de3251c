import type { ReadableFile } from '../../files/store-files.js';

/** A whole line of a file. */
export interface PlacedLine {
  readonly start: number;
  /** Without its newline; shares memory with other lines. */
  readonly bytes: Buffer;
}

interface ReadLinesOptions {
  /** Start of the first line. */
  from: number;
  /** Lines that start here or later are left out; default: the end of the file. */
  to?: number;
  /** Bytes of one read; a longer line is continued in larger reads. */
  chunkBytes: number;
  /** Longer lines are left out. */
  maxLineBytes: number;
}

const NEWLINE = 0x0a;
const LARGEST_READ_ON_BYTES = 64 * 1024;

/** Yields the whole lines of a file in order, one array for each read; bytes after the last newline are left out. */
export async function* readLines(file: ReadableFile, options: ReadLinesOptions): AsyncGenerator<PlacedLine[]> {
  const to = options.to ?? Number.POSITIVE_INFINITY;
  let carried: Buffer[] = [];
  let carriedBytes = 0;
  let lineStart = options.from;
  let position = options.from;
  let wanted = options.chunkBytes;
  while (lineStart < to) {
    const chunk = await file.read(position, wanted);
    const lines: PlacedLine[] = [];
    let at = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0 && lineStart < to; end = chunk.indexOf(NEWLINE, at)) {
      const tail = chunk.subarray(at, end);
      const length = position + end - lineStart;
      const bytes = carried.length === 0 ? tail : Buffer.concat([...carried, tail]);
      if (length <= options.maxLineBytes) lines.push({ start: lineStart, bytes });
      carried = [];
      carriedBytes = 0;
      at = end + 1;
      lineStart = position + at;
    }
    if (lines.length > 0) yield lines;
    if (chunk.length < wanted) return;
    const readOn = Math.min(4 * wanted, LARGEST_READ_ON_BYTES);
    wanted = lines.length > 0 ? options.chunkBytes : Math.max(options.chunkBytes, readOn);
    carriedBytes += chunk.length - at;
    // A line that is too long is not buffered.
    if (carriedBytes <= options.maxLineBytes) carried.push(chunk.subarray(at));
    else carried = [];
    position += chunk.length;
  }
}

/** Returns the number of newlines in some bytes. */
export function countNewlines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}
