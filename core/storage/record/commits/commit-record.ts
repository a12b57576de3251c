import { crc32c } from '@node-rs/crc32';
import { Fault } from '../../../event/fault.js';
import type { FingerprintValue } from '../../../event/ids.js';
import { isJsonObject } from '../../../event/json.js';
import { formatMicros, parseMicros } from '../partitions/arrival-clock.js';
import type { Partition } from '../partitions/partition-path.js';

/** The mark of commit records that recovery wrote for lines whose sender was never answered: a sender who repeats may find its lines there. */
export const RECOVERED_MARK = 'recovered';

/** A sender's name for a batch, with how many lines of this commit came with it. */
export interface CommitMark {
  readonly mark: string;
  readonly lines: number;
}

/** One line of a `commits.ndjson`: some lines of the raw file that became durable together. */
export interface CommitRecord {
  /** First line, zero-based. */
  readonly line: number;
  /** How many lines, at least one. */
  readonly lines: number;
  /** Where the first line begins in the raw file. */
  readonly offset: number;
  /** Bytes of all its lines with their newlines. */
  readonly bytes: number;
  readonly receivedAtMicros: number;
  /** `checksumOf` those bytes, newlines included: 8 lowercase hexadecimal characters. */
  readonly crc32c: string;
  /** In order of their lines; empty when no sender named a batch. */
  readonly marks: readonly CommitMark[];
  /** What grouped its lines on arrival; absent in records of older versions and of lines that recovery adopted. */
  readonly fingerprints?: CommitFingerprints | 'damaged' | undefined;
}

/** Longest mark, in UTF-16 units. */
export const MAX_MARK_LENGTH = 200;
/** Most marks in one record. */
export const MAX_MARKS = 16;
/** Most lines of a record with fingerprints, so that it stays short enough to be looked for in small reads. */
export const MAX_COMMIT_LINES = 1024;
/** No record is longer, even when it has most lines and every unit of every mark is written as an escape of six characters. */
export const MAX_COMMIT_RECORD_BYTES = 64 * 1024;
/**
 * Instants that one group commit may take, one microsecond apart: more than one only where hashes of partitions collide.
 * So everything within so many microseconds of the last record may belong to the last group commit.
 */
export const MAX_COMMIT_INSTANTS = 16;
/** A record covers no more than this, or one line: what a reader has to read to find a line. */
export const COMMIT_SLICE_BYTES = 1024 * 1024;

const CHECKSUM = /^[0-9a-f]{8}$/;

/** False where its numbers cannot be those of a commit: bytes that a damaged record says are never read. */
export function canBeRead({ lines, bytes }: CommitRecord): boolean {
  return lines === 1 || bytes <= COMMIT_SLICE_BYTES;
}

/** The record as a line with its newline; damaged fingerprints are left out. */
export function encodeCommitRecord(record: CommitRecord): string {
  const { line, lines, offset, bytes, receivedAtMicros, fingerprints } = record;
  const marks = record.marks.length === 0 ? '' : `,"marks":${JSON.stringify(record.marks)}`;
  const grouped = typeof fingerprints === 'object' ? encodeFingerprints(fingerprints) : '';
  return `{"line":${line},"lines":${lines},"offset":${offset},"bytes":${bytes},"received_at":"${formatMicros(receivedAtMicros)}","crc32c":"${record.crc32c}"${marks}${grouped}}\n`;
}

function isCount(value: unknown, least: number): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least;
}

function parseMarks(value: unknown): CommitMark[] | undefined {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return undefined;
  const marks: CommitMark[] = [];
  for (const entry of value as unknown[]) {
    if (typeof entry !== 'object' || entry === null || !('mark' in entry) || !('lines' in entry)) return undefined;
    if (typeof entry.mark !== 'string' || !isCount(entry.lines, 1)) return undefined;
    marks.push({ mark: entry.mark, lines: entry.lines });
  }
  return marks;
}

/** Reads one line, with or without its newline; undefined when it is torn or not a commit record, whatever its fingerprints are. */
export function readCommitRecord(text: string): CommitRecord | undefined {
  const { rest, content } = splitFingerprints(text);
  const value = parseJson(rest);
  if (!isJsonObject(value)) return undefined;
  const { line, lines, offset, bytes, received_at: receivedAt, crc32c: checksum } = value;
  if (!isCount(line, 0) || !isCount(lines, 1) || !isCount(offset, 0) || !isCount(bytes, lines)) return undefined;
  if (typeof receivedAt !== 'string' || typeof checksum !== 'string' || !CHECKSUM.test(checksum)) return undefined;
  const receivedAtMicros = parseMicros(receivedAt);
  const marks = parseMarks(value['marks']);
  if (receivedAtMicros === undefined || marks === undefined) return undefined;
  const record = { line, lines, offset, bytes, receivedAtMicros, crc32c: checksum, marks };
  return content === undefined ? record : { ...record, fingerprints: readFingerprints(content, lines) };
}

const NEWLINE = 0x0a;

/**
 * Where each line of a commit begins, and last where a further one would: `lines` + 1 places from the beginning of its bytes.
 * Undefined when the bytes are not exactly so many whole lines.
 */
export function lineStarts(bytes: Buffer, lines: number): Uint32Array | undefined {
  // A damaged record may say any number: it must not become memory.
  if (lines > bytes.length) return undefined;
  const starts = new Uint32Array(lines + 1);
  let at = 0;
  for (let index = 1; index <= lines; index += 1) {
    const end = bytes.indexOf(NEWLINE, at);
    if (end < 0) return undefined;
    at = end + 1;
    starts[index] = at;
  }
  return at === bytes.length ? starts : undefined;
}

/** The fault of a commit that is no longer as it was written. `what` ends the sentence about its lines. */
export function commitDamaged(partition: Partition, record: CommitRecord, what: string): Fault {
  const last = record.line + record.lines - 1;
  const lines = record.lines === 1 ? `Line ${record.line}` : `Lines ${record.line} to ${last}`;
  return new Fault(
    'RECORD_DAMAGED',
    `${lines} of ${partition.folder}/raw.ndjson, received ${formatMicros(record.receivedAtMicros)}, ${what}. Restore the file from a copy if there is one.`,
  );
}

/** What grouped the lines of one commit record when they arrived, in the order of its lines. */
export interface CommitFingerprints {
  /** Of the rules that gave all of them. */
  readonly version: number;
  /** 32 lowercase hexadecimal characters for each line. */
  readonly values: string;
}

/** What grouped one line when it arrived. */
export interface StoredFingerprint {
  readonly version: number;
  readonly value: FingerprintValue;
}

/** Characters of a fingerprint. */
const VALUE_LENGTH = 32;
/** Nothing that a store writes before it holds this: quotes within a mark are escaped. */
const MEMBER = ',"fingerprints":';
const CONTENT = /^\{"version":([1-9]\d{0,14}),"values":"([0-9a-f]*)","crc32c":"([0-9a-f]{8})"\}\}\s*$/;

/** The member of a commit record with the comma before it; its checksum is over `<version>:<values>`. */
function encodeFingerprints(fingerprints: CommitFingerprints): string {
  const { version, values } = fingerprints;
  return `${MEMBER}{"version":${version},"values":"${values}","crc32c":"${checksumOf(`${version}:${values}`)}"}`;
}

/**
 * Takes the fingerprints off the line of a commit record: they are many more bytes than all the rest, and what happened to them must not take the
 * rest along. `content` is undefined where there are none.
 */
export function splitFingerprints(text: string): { readonly rest: string; readonly content: string | undefined } {
  const at = text.indexOf(MEMBER);
  if (at < 0) return { rest: text, content: undefined };
  return { rest: `${text.slice(0, at)}}`, content: text.slice(at + MEMBER.length) };
}

/** Reads what `splitFingerprints` took off a record of so many lines; `damaged` where it is not as it was written. */
function readFingerprints(content: string, lines: number): CommitFingerprints | 'damaged' {
  const [, version = '', values = '', checksum] = CONTENT.exec(content) ?? [];
  const isWhole = values.length === lines * VALUE_LENGTH && checksum === checksumOf(`${version}:${values}`);
  return isWhole ? { version: Number(version), values } : 'damaged';
}

/** That of one line, by its place in the record. */
export function fingerprintAt({ version, values }: CommitFingerprints, place: number): StoredFingerprint {
  const value = values.slice(place * VALUE_LENGTH, (place + 1) * VALUE_LENGTH) as FingerprintValue;
  return { version, value };
}

/** Reads JSON that was stored; undefined where it is torn. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The CRC-32C of what is stored, as 8 hexadecimal digits. */
export function checksumOf(content: Uint8Array | string): string {
  return crc32c(content).toString(16).padStart(8, '0');
}
