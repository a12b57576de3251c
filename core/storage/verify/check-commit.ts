import { crc32c } from '@node-rs/crc32';
import type { ReadableFile } from '../files/store-files.js';
import {
  type CommitPosition,
  type CommitRecord,
  MAX_COMMIT_RAW_BYTES,
  positionAfter,
} from '../record/commits/commit-record.js';
import { countNewlines, createReadWindow } from '../record/io/read-lines.js';
import type { Partition } from '../record/partitions/partition-path.js';
import { areAllPayloads, blameLines } from './blame-lines.js';
import type { FindingDetails } from './finding.js';

/** A range of a raw file. */
export interface RawSpan {
  /** The bytes; only the first `CHUNK_BYTES` of a longer range. */
  readonly bytes: Buffer;
  /** Smaller than requested if the file ends. */
  readonly length: number;
  readonly checksum: string;
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
    return { bytes, length, checksum: checksum.toString(16).padStart(8, '0'), newlines };
  };
}

interface CheckCommitOptions {
  readonly partition: Partition;
  readonly record: CommitRecord;
  /** Line of the commit file. */
  readonly number: number;
  /** Where the previous record ends. */
  readonly expected: CommitPosition;
  /** The previous record is damaged, so a gap after it is not reported. */
  readonly isAfterDamage: boolean;
  /** Where the next record begins or, for the last one, where the file ends. */
  readonly nextOffset: number;
  readonly readRaw: ReadSpan;
}

/** A problem in one of the two files of a partition. */
export type CommitBlame = { readonly in: 'raw' | 'commits' } & Pick<
  FindingDetails,
  'code' | 'line' | 'offset' | 'what'
>;

/** Result of `checkCommit`. */
export interface CommitCheck {
  readonly blames: readonly CommitBlame[];
  /** Where the next one must begin. */
  readonly end: CommitPosition;
  /** Number of lines in the file if the file ends within the commit. */
  readonly linesOfShort: number | undefined;
}

/** Compares a commit record with the previous record and with its bytes, and determines which of them is damaged. */
export async function checkCommit(options: CheckCommitOptions): Promise<CommitCheck> {
  const { record, expected, readRaw, isAfterDamage } = options;
  const span = await readRaw(record.offset, record.bytes);
  const follows = record.line === expected.line && record.offset === expected.offset;
  if (isMatch(span, record.crc32c, record.bytes)) {
    const gap = follows || isAfterDamage ? [] : [gapBefore(options)];
    const count = span.newlines === record.lines ? [] : [changed(options, `holds ${span.newlines} lines`)];
    // At the expected offset with another line number: the number is wrong, not the lines.
    const line = record.offset === expected.offset && !isAfterDamage ? expected.line : record.line;
    return done([...gap, ...count], { line: line + span.newlines, offset: record.offset + record.bytes });
  }
  const moved = await findMovedBytes(options);
  if (moved !== undefined) {
    const end = moved.offset + moved.span.length;
    const what = `has the checksum of bytes ${moved.offset} to ${end - 1}`;
    return done([changed(options, what)], { line: expected.line + moved.span.newlines, offset: end });
  }
  const end = positionAfter(record);
  const gap = follows || isAfterDamage ? [] : [gapBefore(options)];
  if (span.length < record.bytes) return { blames: gap, end, linesOfShort: span.newlines };
  return done([...gap, ...blameBytes(options, span)], end);
}

function done(blames: readonly CommitBlame[], end: CommitPosition): CommitCheck {
  return { blames, end, linesOfShort: undefined };
}

function isMatch(span: RawSpan, checksum: string, bytes: number): boolean {
  return span.length === bytes && span.checksum === checksum;
}

/** Tries the positions that the neighbouring records allow, in case the record's own numbers were changed. */
async function findMovedBytes(
  options: CheckCommitOptions,
): Promise<{ readonly offset: number; readonly span: RawSpan } | undefined> {
  const { record, expected, nextOffset, readRaw } = options;
  const candidates = [
    { offset: expected.offset, bytes: record.bytes },
    { offset: record.offset, bytes: nextOffset - record.offset },
  ];
  for (const { offset, bytes } of candidates) {
    if (bytes <= 0 || (offset === record.offset && bytes === record.bytes)) continue;
    const span = await readRaw(offset, bytes);
    if (isMatch(span, record.crc32c, bytes)) return { offset, span };
  }
  return undefined;
}

function blameBytes(options: CheckCommitOptions, { bytes, length, checksum }: RawSpan): CommitBlame[] {
  const { partition, record } = options;
  if (bytes.length < length) {
    const what = `Line ${record.line} does not match its checksum.`;
    return [{ in: 'raw', code: 'RAW_LINE_DAMAGED', line: record.line, offset: record.offset, what }];
  }
  const blames = blameLines(partition, record, bytes);
  const isLineKnown = blames.some(({ code }) => code === 'RAW_LINE_DAMAGED');
  if (!isLineKnown && differInOneDigit(checksum, record.crc32c) && areAllPayloads(partition, record, bytes)) {
    return [changed(options, `has a checksum that differs in one digit from ${checksum}, the checksum of its lines`)];
  }
  return blames.map((blame) => ({ in: 'raw', ...blame }));
}

function differInOneDigit(checksum: string, other: string): boolean {
  return [...checksum].filter((digit, index) => digit !== other[index]).length === 1;
}

function changed({ number, record }: CheckCommitOptions, how: string): CommitBlame {
  const what = `The commit record of ${record.lines} lines from line ${record.line} ${how}: its own numbers were changed.`;
  return { in: 'commits', code: 'COMMIT_RECORD_CHANGED', line: number, what };
}

function gapBefore({ number, record, expected }: CheckCommitOptions): CommitBlame {
  const what = `The commit record begins at line ${record.line} and byte ${record.offset}, but the previous one ends at line ${expected.line} and byte ${expected.offset}.`;
  return { in: 'commits', code: 'COMMIT_GAP', line: number, what };
}
