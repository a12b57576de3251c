import { Fault } from '../../../event/fault.js';
import { decodeRawLine } from '../../../event/raw-line.js';
import type { RawPayload } from '../../../event/raw-payload.js';
import type { ReadableFile } from '../../files/store-files.js';
import { COMMIT_SLICE_BYTES, type CommitRecord, checksumOf, RECOVERED_MARK } from '../commits/commit-record.js';
import { type PlacedLine, readLines } from '../io/read-lines.js';
import { type Partition, partitionOf } from '../partitions/partition-path.js';

/** Longest line that is taken for a payload; receivers take less. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;

/** Where adoption begins: behind the last commit. */
export interface AdoptFrom {
  readonly line: number;
  readonly offset: number;
}

/**
 * Commit records for the whole lines behind the last commit, as far as they are payloads of this partition: their sender was never answered,
 * but they arrived. The first line that is none ends it.
 */
export async function adoptLines(
  partition: Partition,
  raw: ReadableFile,
  from: AdoptFrom,
  receivedAtMicros: number,
): Promise<CommitRecord[]> {
  const slices: { line: number; lines: number; offset: number; bytes: number }[] = [];
  for await (const { start, bytes } of payloadLines(partition, raw, from.offset)) {
    const last = slices.at(-1);
    const length = bytes.length + 1;
    if (last !== undefined && last.bytes + length <= COMMIT_SLICE_BYTES) {
      last.lines += 1;
      last.bytes += length;
    } else {
      slices.push({
        line: last === undefined ? from.line : last.line + last.lines,
        lines: 1,
        offset: start,
        bytes: length,
      });
    }
  }
  const records: CommitRecord[] = [];
  for (const slice of slices) {
    const crc32c = checksumOf(await raw.read(slice.offset, slice.bytes));
    const marks = [{ mark: RECOVERED_MARK, lines: slice.lines }];
    records.push({ ...slice, receivedAtMicros, crc32c, marks });
  }
  return records;
}

async function* payloadLines(partition: Partition, raw: ReadableFile, from: number): AsyncGenerator<PlacedLine> {
  let next = from;
  for await (const lines of readLines(raw, { from, chunkBytes: COMMIT_SLICE_BYTES, maxLineBytes: MAX_LINE_BYTES })) {
    for (const line of lines) {
      // A line that was too long to read leaves a gap.
      if (line.start !== next || !belongsTo(partition, line.bytes)) return;
      yield line;
      next = line.start + line.bytes.length + 1;
    }
  }
}

function belongsTo(partition: Partition, line: Buffer): boolean {
  const payload = payloadOf(line);
  return (
    payload !== undefined &&
    partitionOf(payload.env, payload.service, payload.app, partition.hour).folder === partition.folder
  );
}

/** The payload of a raw line; undefined where it is none. */
export function payloadOf(line: Buffer): RawPayload | undefined {
  try {
    return decodeRawLine(line);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}
