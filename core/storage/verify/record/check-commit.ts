import { type CommitPosition, type CommitRecord, positionAfter } from '../../record/commits/commit-record.js';
import type { Partition } from '../../record/partitions/partition-path.js';
import type { FindingDetails } from '../finding.js';
import { areAllPayloads, blameLines } from './blame-lines.js';
import type { RawSpan, ReadSpan } from './raw-spans.js';

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
  const own = await readRaw(record.offset, record.bytes);
  const follows = record.line === expected.line && record.offset === expected.offset;
  if (isMatch(own, record.crc32c, record.bytes)) {
    const gap = follows || isAfterDamage ? [] : [gapBefore(options)];
    const count = own.newlines === record.lines ? [] : [changed(options, `holds ${own.newlines} lines`)];
    // At the expected offset with another line number: the number is wrong, not the lines.
    const line = record.offset === expected.offset && !isAfterDamage ? expected.line : record.line;
    return done([...gap, ...count], { line: line + own.newlines, offset: record.offset + record.bytes });
  }
  const moved = await findMovedBytes(options);
  if (moved !== undefined) {
    const { offset, span } = moved;
    const what = `has the checksum of bytes ${offset} to ${offset + span.length - 1}`;
    return done([changed(options, what)], { line: expected.line + span.newlines, offset: offset + span.length });
  }
  const end = positionAfter(record);
  const gap = follows || isAfterDamage ? [] : [gapBefore(options)];
  if (own.length < record.bytes) return { blames: gap, end, linesOfShort: own.newlines };
  return done([...gap, ...blameBytes(options, own)], end);
}

function done(blames: readonly CommitBlame[], end: CommitPosition): CommitCheck {
  return { blames, end, linesOfShort: undefined };
}

function isMatch(span: RawSpan, crc32c: string, bytes: number): boolean {
  return span.length === bytes && span.crc32c === crc32c;
}

/** Tries the positions that the neighbouring records allow, in case the record's own numbers were changed. */
async function findMovedBytes(
  options: CheckCommitOptions,
): Promise<{ readonly offset: number; readonly span: RawSpan } | undefined> {
  const { record, expected, nextOffset, readRaw } = options;
  const candidates: readonly (readonly [offset: number, bytes: number])[] = [
    [expected.offset, record.bytes],
    [record.offset, nextOffset - record.offset],
  ];
  for (const [offset, bytes] of candidates) {
    if (bytes <= 0 || (offset === record.offset && bytes === record.bytes)) continue;
    const span = await readRaw(offset, bytes);
    if (isMatch(span, record.crc32c, bytes)) return { offset, span };
  }
  return undefined;
}

function blameBytes(options: CheckCommitOptions, { bytes, length, crc32c }: RawSpan): CommitBlame[] {
  const { partition, record } = options;
  if (bytes.length < length) {
    const what = `Line ${record.line} does not match its checksum.`;
    return [{ in: 'raw', code: 'RAW_LINE_DAMAGED', line: record.line, offset: record.offset, what }];
  }
  const blames = blameLines(partition, record, bytes);
  const isLineKnown = blames.some(({ code }) => code === 'RAW_LINE_DAMAGED');
  if (!isLineKnown && differInOneDigit(crc32c, record.crc32c) && areAllPayloads(partition, record, bytes)) {
    return [changed(options, `has a checksum that differs in one digit from ${crc32c}, the checksum of its lines`)];
  }
  return blames.map((blame) => ({ in: 'raw', ...blame }));
}

function differInOneDigit(one: string, other: string): boolean {
  return [...one].filter((digit, index) => digit !== other[index]).length === 1;
}

function changed({ number, record }: CheckCommitOptions, how: string): CommitBlame {
  const what = `The commit record of ${record.lines} lines from line ${record.line} ${how}: its own numbers were changed.`;
  return { in: 'commits', code: 'COMMIT_RECORD_CHANGED', line: number, what };
}

function gapBefore({ number, record, expected }: CheckCommitOptions): CommitBlame {
  const what = `The commit record begins at line ${record.line} and byte ${record.offset}, but the previous one ends at line ${expected.line} and byte ${expected.offset}.`;
  return { in: 'commits', code: 'COMMIT_GAP', line: number, what };
}
