import { crc32c } from '@node-rs/crc32';
import type { ReadableFile } from '../../files/store-files.js';
import { MAX_COMMIT_RAW_BYTES } from '../../record/commits/commit-record.js';
import { countNewlines, createReadWindow } from '../../record/io/read-lines.js';

/** A range of a raw file. */
export interface RawSpan {
  /** The bytes; only the first `CHUNK_BYTES` of a longer range. */
  readonly bytes: Buffer;
  /** Smaller than requested if the file ends. */
  readonly length: number;
  readonly crc32c: string;
  readonly newlines: number;
}

/** Reads ranges of a raw file from front to back. */
export type ReadSpan = (offset: number, length: number) => Promise<RawSpan>;

/** Larger than any commit of several lines. */
const CHUNK_BYTES = 4 * MAX_COMMIT_RAW_BYTES;

/** Holds at most `CHUNK_BYTES` in memory, regardless of the length that a damaged record claims. */
export function createRawSpans(raw: ReadableFile): ReadSpan {
  const bytesAt = createReadWindow(raw, MAX_COMMIT_RAW_BYTES);
  return async (offset, wanted) => {
    const bytes = await bytesAt(offset, Math.min(wanted, CHUNK_BYTES));
    let checksum = crc32c(bytes);
    let newlines = countNewlines(bytes);
    let length = bytes.length;
    let chunk = bytes;
    while (length < wanted && chunk.length === CHUNK_BYTES) {
      chunk = await raw.read(offset + length, Math.min(wanted - length, CHUNK_BYTES));
      checksum = crc32c(chunk, checksum);
      newlines += countNewlines(chunk);
      length += chunk.length;
    }
    return { bytes, length, crc32c: checksum.toString(16).padStart(8, '0'), newlines };
  };
}
