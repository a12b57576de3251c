import { type CommitRecord, checksumOf } from '../record/commits/commit-record.js';
import { countNewlines } from '../record/io/read-lines.js';
import { isIn, type Partition } from '../record/partitions/partition-path.js';
import { payloadOf } from '../record/reader/decode-line.js';
import type { FindingDetails } from './finding.js';

/** CRC-32C (Castagnoli), reflected: RFC 3720, section B.4. */
const POLYNOMIAL = 0x82f63b78;

/** Larger commits are not searched bit by bit. */
const MAX_SEARCHED_BYTES = 4 * 1024 * 1024;
const MAX_LINES_NAMED = 20;
const NEWLINE = 0x0a;

type Blame = Pick<FindingDetails, 'code' | 'line' | 'offset' | 'what'>;

/** Returns the damaged lines of a commit whose bytes do not match its checksum, as exactly as the bytes allow. */
export function blameLines(partition: Partition, record: CommitRecord, bytes: Buffer): Blame[] {
  const bit = flippedBit(record, bytes);
  if (bit !== undefined) return [bit];
  const lines = splitLines(bytes);
  const blamed = lines.flatMap(({ start, end }, index) => {
    const problem = problemOf(partition, bytes.subarray(start, end));
    if (problem === undefined) return [];
    return [{ line: record.line + index, offset: record.offset + start, problem }];
  });
  const isCut = bytes.at(-1) !== NEWLINE;
  const newCount = lines.length === record.lines ? '' : ` They are ${lines.length} lines now.`;
  if (blamed.length === 0 || newCount !== '' || isCut) {
    const detail = blamed.length === 0 && newCount === '' ? ' Each of them is still a payload.' : newCount;
    const what = `${nameLines(record.line, record.lines)} do not match the checksum of their commit.${detail}`;
    const range: Blame = { code: 'RAW_LINES_DAMAGED', line: record.line, offset: record.offset, what };
    if (blamed.length === 0) return [range];
    return [range, ...nameBlamed(blamed)];
  }
  return nameBlamed(blamed);
}

/** Returns `Line 3` or `Lines 3 to 9`, zero-based. */
export function nameLines(first: number, lines: number): string {
  return lines === 1 ? `Line ${first}` : `Lines ${first} to ${first + lines - 1}`;
}

/** Whether every line of a commit is a payload of the partition. */
export function areAllPayloads(partition: Partition, record: CommitRecord, bytes: Buffer): boolean {
  const lines = splitLines(bytes);
  return (
    lines.length === record.lines &&
    lines.every(({ start, end }) => problemOf(partition, bytes.subarray(start, end)) === undefined)
  );
}

function flippedBit(record: CommitRecord, bytes: Buffer): Blame | undefined {
  if (bytes.length > MAX_SEARCHED_BYTES || bytes.length !== record.bytes) return undefined;
  const actual = Number.parseInt(checksumOf(bytes), 16);
  const bit = locateFlippedBit(bytes.length, Number.parseInt(record.crc32c, 16), actual);
  if (bit === undefined) return undefined;
  const is = bytes[bit.byte] ?? 0;
  const line = record.line + countNewlines(bytes.subarray(0, bit.byte));
  const offset = record.offset + bit.byte;
  const what = `One bit of line ${line} is flipped: its checksum matches with ${hex(is ^ bit.mask)} instead of ${hex(is)} at byte ${offset}.`;
  return { code: 'RAW_LINE_DAMAGED', line, offset, what };
}

function nameBlamed(blamed: readonly { line: number; offset: number; problem: string }[]): Blame[] {
  const code = 'RAW_LINE_DAMAGED';
  const named: Blame[] = blamed
    .slice(0, MAX_LINES_NAMED)
    .map(({ line, offset, problem }) => ({ code, line, offset, what: `Line ${line} ${problem}.` }));
  const rest = blamed[MAX_LINES_NAMED];
  if (rest === undefined) return named;
  const what = `Line ${rest.line} and ${blamed.length - MAX_LINES_NAMED - 1} more of this commit are not payloads either.`;
  return [...named, { code, line: rest.line, offset: rest.offset, what }];
}

function problemOf(partition: Partition, line: Buffer): string | undefined {
  const payload = payloadOf(line);
  if (payload === undefined) return 'is not a payload';
  return isIn(partition, payload) ? undefined : 'names another app, service or environment than its folder';
}

function splitLines(bytes: Buffer): { start: number; end: number }[] {
  const lines: { start: number; end: number }[] = [];
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline < 0 ? bytes.length : newline;
    lines.push({ start, end });
    start = end + 1;
  }
  return lines;
}

function hex(byte: number): string {
  return `0x${byte.toString(16).padStart(2, '0')}`;
}

/**
 * Finds the single bit flip that explains a checksum difference; undefined if none does. A CRC is linear: the difference depends only
 * on the bit's position, and is unique within 2^31 bits. `byte` is the offset of its byte, and `mask` restores that by XOR.
 */
function locateFlippedBit(
  length: number,
  expected: number,
  actual: number,
): { byte: number; mask: number } | undefined {
  const difference = (expected ^ actual) | 0;
  let turned = POLYNOMIAL | 0;
  for (let byte = length - 1; byte >= 0; byte -= 1) {
    for (let mask = 128; mask >= 1; mask >>= 1) {
      if (turned === difference) return { byte, mask };
      turned = (turned >>> 1) ^ (-(turned & 1) & POLYNOMIAL);
    }
  }
  return undefined;
}
