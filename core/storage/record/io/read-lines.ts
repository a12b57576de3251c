import type { ReadableFile } from '../../files/store-files.js';

/** A line of a file. */
interface ScannedLine {
  /** Of the lines that were read, zero-based. */
  readonly number: number;
  readonly start: number;
  /** Without its newline; undefined if the line is too long. Shares memory with other lines. */
  readonly bytes: Buffer | undefined;
  /** The file ends without a newline. */
  readonly isTorn: boolean;
}

/** A whole line of a file. */
export interface PlacedLine extends Pick<ScannedLine, 'start'> {
  readonly bytes: Buffer;
}

interface ReadLinesOptions {
  /** Start of the first line, default 0. */
  from?: number;
  /** Lines that start here or later are left out; default: the end of the file. */
  to?: number;
  /** Bytes of one read, default 64 KiB; a longer line is continued in larger reads. */
  chunkBytes?: number;
  maxLineBytes: number;
}

const NEWLINE = 0x0a;
const CHUNK_BYTES = 64 * 1024;

/** Yields the lines of a file in order, one array for each read, also too long ones and a torn last one. */
export async function* scanLines(file: ReadableFile, options: ReadLinesOptions): AsyncGenerator<ScannedLine[]> {
  const { from = 0, to = Number.POSITIVE_INFINITY, chunkBytes = CHUNK_BYTES, maxLineBytes } = options;
  let number = 0;
  let start = from;
  let position = from;
  let wanted = chunkBytes;
  /** The current line, as far as it was read. */
  let carried: Buffer[] = [];
  const lineUntil = (end: number, isTorn: boolean): ScannedLine => {
    const [only] = carried;
    const bytes = carried.length === 1 ? only : Buffer.concat(carried);
    return { number, start, bytes: end - start > maxLineBytes ? undefined : bytes, isTorn };
  };
  while (start < to) {
    const chunk = await file.read(position, wanted);
    const lines: ScannedLine[] = [];
    let at = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0 && start < to; end = chunk.indexOf(NEWLINE, at)) {
      carried.push(chunk.subarray(at, end));
      lines.push(lineUntil(position + end, false));
      carried = [];
      number += 1;
      at = end + 1;
      start = position + at;
    }
    position += chunk.length;
    // A line that is too long is not buffered.
    carried = position - start > maxLineBytes ? [] : [...carried, chunk.subarray(at)];
    const isLast = chunk.length < wanted;
    if (isLast && start < to && position > start) lines.push(lineUntil(position, true));
    if (lines.length > 0) yield lines;
    if (isLast) return;
    wanted = lines.length > 0 ? chunkBytes : Math.max(chunkBytes, Math.min(4 * wanted, CHUNK_BYTES));
  }
}

/** As `scanLines`, without lines that are torn or too long. */
export async function* readLines(file: ReadableFile, options: ReadLinesOptions): AsyncGenerator<PlacedLine[]> {
  for await (const lines of scanLines(file, options)) {
    const whole = lines.filter((line): line is ScannedLine & PlacedLine => !line.isTorn && line.bytes !== undefined);
    if (whole.length > 0) yield whole;
  }
}

/** Returns the number of newlines in some bytes. */
export function countNewlines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}

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
