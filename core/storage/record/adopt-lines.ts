import { Fault } from '../../event/fault.js';
import { decodeRawLine } from '../../event/raw-line.js';
import type { RawPayload } from '../../event/raw-payload.js';
import type { ReadableFile } from '../files/store-files.js';
import {
  type CommitPosition,
  type CommitRecord,
  checksumOf,
  MAX_COMMIT_RAW_BYTES,
  RECOVERED_BATCH_ID,
} from './commits/commit-record.js';
import { type PlacedLine, readLines } from './io/read-lines.js';
import { isIn, type Partition } from './partitions/partition-path.js';

/** Longest line to adopt; receivers accept less. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;

/** Makes records for whole lines after the last commit: they arrived, but their append never resolved. */
export async function adoptLines(
  partition: Partition,
  raw: ReadableFile,
  from: CommitPosition,
  receivedAtMicros: number,
): Promise<CommitRecord[]> {
  const spans: { line: number; lines: number; offset: number; bytes: number }[] = [];
  for await (const { start, bytes } of payloadLines(partition, raw, from.offset)) {
    const last = spans.at(-1);
    const length = bytes.length + 1;
    if (last !== undefined && last.bytes + length <= MAX_COMMIT_RAW_BYTES) {
      last.lines += 1;
      last.bytes += length;
    } else {
      const line = last === undefined ? from.line : last.line + last.lines;
      spans.push({ line, lines: 1, offset: start, bytes: length });
    }
  }
  const records: CommitRecord[] = [];
  for (const span of spans) {
    const crc32c = checksumOf(await raw.read(span.offset, span.bytes));
    const batches = [{ batchId: RECOVERED_BATCH_ID, lines: span.lines }];
    records.push({ ...span, receivedAtMicros, crc32c, batches });
  }
  return records;
}

async function* payloadLines(partition: Partition, raw: ReadableFile, from: number): AsyncGenerator<PlacedLine> {
  let next = from;
  for await (const lines of readLines(raw, { from, chunkBytes: MAX_COMMIT_RAW_BYTES, maxLineBytes: MAX_LINE_BYTES })) {
    for (const line of lines) {
      // A line longer than the limit leaves a gap.
      const payload = payloadOf(line.bytes);
      if (line.start !== next || payload === undefined || !isIn(partition, payload)) return;
      yield line;
      next = line.start + line.bytes.length + 1;
    }
  }
}

/** The payload of a raw line; undefined if it is not one. */
export function payloadOf(line: Buffer): RawPayload | undefined {
  try {
    return decodeRawLine(line);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}
