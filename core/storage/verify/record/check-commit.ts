import type { CommitRecord } from '../../record/commits/commit-record.js';
import type { Partition } from '../../record/partitions/partition-path.js';
import type { FindingDetails } from '../finding.js';
import { areAllPayloads, blameLines } from './blame-lines.js';
import type { RawSpan, RawSpans } from './raw-spans.js';

/** Where the next commit of a partition has to begin. */
export interface ChainPosition {
  readonly line: number;
  readonly offset: number;
}

/** What there is around a commit record when it is compared with its bytes. */
export interface CheckCommitOptions {
  readonly partition: Partition;
  readonly record: CommitRecord;
  /** Line of the commit file. */
  readonly number: number;
  /** Where the record before it ends. */
  readonly expected: ChainPosition;
  /** The record before it is damaged: that this one does not continue it says nothing new. */
  readonly isAfterDamage: boolean;
  /** Where the next record begins or, behind the last one, where the file ends. */
  readonly nextOffset: number;
  readonly raw: RawSpans;
}

/** One of the two files of the partition, and what is wrong in it. */
export type CommitBlame = { readonly in: 'raw' | 'commits' } & Pick<
  FindingDetails,
  'code' | 'line' | 'offset' | 'what'
>;

/** What was found of one commit. */
export interface CommitCheck {
  readonly blames: readonly CommitBlame[];
  /** Where the next one has to begin. */
  readonly end: ChainPosition;
  /** Of a commit whose bytes are not all in the file: how many of its lines are. */
  readonly linesOfShort: number | undefined;
}

/** Compares a commit record with the record before it and with its bytes, and finds out which of them is damaged. */
export async function checkCommit(options: CheckCommitOptions): Promise<CommitCheck> {
  const { record, expected, raw, isAfterDamage } = options;
  const own = await raw.read(record.offset, record.bytes);
  const follows = record.line === expected.line && record.offset === expected.offset;
  if (isMatch(own, record.crc32c, record.bytes)) {
    const gap = follows || isAfterDamage ? [] : [gapBefore(options)];
    const count = own.newlines === record.lines ? [] : [changed(options, `holds ${own.newlines} lines`)];
    // Bytes in their place under another number: the lines are where they were, the record's number is wrong.
    const line = record.offset === expected.offset && !isAfterDamage ? expected.line : record.line;
    return done([...gap, ...count], { line: line + own.newlines, offset: record.offset + record.bytes });
  }
  const moved = await findMovedBytes(options);
  if (moved !== undefined) {
    const { offset, span } = moved;
    const what = `has the checksum of bytes ${offset} to ${offset + span.length - 1}`;
    return done([changed(options, what)], { line: expected.line + span.newlines, offset: offset + span.length });
  }
  const end = { line: record.line + record.lines, offset: record.offset + record.bytes };
  const gap = follows || isAfterDamage ? [] : [gapBefore(options)];
  if (own.length < record.bytes) return { blames: gap, end, linesOfShort: own.newlines };
  return done([...gap, ...blameBytes(options, own)], end);
}

function done(blames: readonly CommitBlame[], end: ChainPosition): CommitCheck {
  return { blames, end, linesOfShort: undefined };
}

function isMatch(span: RawSpan, crc32c: string, bytes: number): boolean {
  return span.length === bytes && span.crc32c === crc32c;
}

/** Tries the other places that the records around it allow: its numbers may be what was changed. */
async function findMovedBytes(
  options: CheckCommitOptions,
): Promise<{ readonly offset: number; readonly span: RawSpan } | undefined> {
  const { record, expected, nextOffset, raw } = options;
  const candidates: readonly (readonly [offset: number, bytes: number])[] = [
    [expected.offset, record.bytes],
    [record.offset, nextOffset - record.offset],
  ];
  for (const [offset, bytes] of candidates) {
    if (bytes <= 0 || (offset === record.offset && bytes === record.bytes)) continue;
    const span = await raw.read(offset, bytes);
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
    return [changed(options, `has a checksum that differs in one digit from ${crc32c}, that of its lines`)];
  }
  return blames.map((blame) => ({ in: 'raw', ...blame }));
}

function differInOneDigit(one: string, other: string): boolean {
  return [...one].filter((digit, place) => digit !== other[place]).length === 1;
}

function changed({ number, record }: CheckCommitOptions, how: string): CommitBlame {
  const what = `The commit record of ${record.lines} lines from line ${record.line} on ${how}: its own numbers were changed.`;
  return { in: 'commits', code: 'COMMIT_RECORD_CHANGED', line: number, what };
}

function gapBefore({ number, record, expected }: CheckCommitOptions): CommitBlame {
  const what = `The commit record begins at line ${record.line} and byte ${record.offset}, but the one before it ends at line ${expected.line} and byte ${expected.offset}.`;
  return { in: 'commits', code: 'COMMIT_GAP', line: number, what };
}
