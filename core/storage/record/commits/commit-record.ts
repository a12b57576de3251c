import { crc32c as computeCrc32c } from '@node-rs/crc32';
import type { SenderOrigin } from '../../../contract/stages.js';
import { Fault } from '../../../event/fault.js';
import type { FingerprintValue } from '../../../event/ids.js';
import { isJsonObject, parseJson } from '../../../event/json.js';
import { formatMicros, parseMicros } from '../partitions/arrival-clock.js';
import type { Partition } from '../partitions/partition-path.js';

/** The batch id of commit records that recovery wrote for lines whose append never resolved. */
export const RECOVERED_BATCH_ID = 'recovered';

/** A batch id and the number of lines of one commit record that belong to the batch. */
interface CommitBatch {
  readonly batchId: string;
  readonly lines: number;
}

/** One line of `commits.ndjson`: consecutive lines of the raw file that became durable together. */
export interface CommitRecord {
  /** First line, zero-based. */
  readonly line: number;
  /** At least one. */
  readonly lines: number;
  /** Byte offset of the first line in the raw file. */
  readonly offset: number;
  /** Bytes of all its lines with their newlines. */
  readonly bytes: number;
  readonly receivedAtMicros: number;
  /** `checksumOf` those bytes. */
  readonly crc32c: string;
  /** In order of their lines; empty without batch ids. */
  readonly batches: readonly CommitBatch[];
  /** `originsText` of its lines; missing if all are unknown, as in records of earlier versions and of recovery. */
  readonly origins?: string | undefined;
  /** Missing in records of older versions and of adopted lines. */
  readonly fingerprints?: CommitFingerprints | 'damaged' | undefined;
}

/** Where a commit of a partition begins. */
export interface CommitPosition {
  readonly line: number;
  readonly offset: number;
}

/** Where the commit after a record must begin; without a record, the start of the file. */
export function positionAfter(record: CommitRecord | undefined): CommitPosition {
  if (record === undefined) return { line: 0, offset: 0 };
  return { line: record.line + record.lines, offset: record.offset + record.bytes };
}

/** Longest batch id, in UTF-16 units. */
export const MAX_BATCH_ID_LENGTH = 200;
/** Most batch ids in one record. */
export const MAX_COMMIT_BATCHES = 16;
/** Most lines of a record with fingerprints: keeps records short enough for a search in small reads. */
export const MAX_COMMIT_LINES = 1024;
/** Longest encoded record: most lines, and batch ids written in escapes of six characters. */
export const MAX_COMMIT_RECORD_BYTES = 64 * 1024;
/**
 * Most timestamps of one group commit, one microsecond apart; more than one only if partition hashes collide.
 * Everything within this many microseconds of the last record may belong to the last group commit.
 */
export const MAX_COMMIT_TIMESTAMPS = 16;
/** Most raw bytes of one record, unless it has one line: what a reader reads to find a line. */
export const MAX_COMMIT_RAW_BYTES = 1024 * 1024;

const CHECKSUM = /^[0-9a-f]{8}$/;

/** False if the numbers cannot be those of a commit: the byte count of a damaged record must not be read. */
export function canBeRead({ lines, bytes }: CommitRecord): boolean {
  return lines === 1 || bytes <= MAX_COMMIT_RAW_BYTES;
}

/** Encodes the record as a line with its newline; damaged fingerprints are omitted. */
export function encodeCommitRecord(record: CommitRecord): string {
  const { line, lines, offset, bytes, receivedAtMicros, crc32c, batches, origins, fingerprints } = record;
  const marks = batches.map((batch) => ({ mark: batch.batchId, lines: batch.lines }));
  const fields = {
    line,
    lines,
    offset,
    bytes,
    received_at: formatMicros(receivedAtMicros),
    crc32c,
    marks: marks.length === 0 ? undefined : marks,
    origins,
    fingerprints: typeof fingerprints === 'object' ? encodeFingerprints(fingerprints) : undefined,
  };
  return `${JSON.stringify(fields)}\n`;
}

/** Whether a value is an integer of at least `least`. */
export function isCount(value: unknown, least: number): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least;
}

function parseBatches(value: unknown): CommitBatch[] | undefined {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return undefined;
  const batches: CommitBatch[] = [];
  for (const entry of value as unknown[]) {
    if (typeof entry !== 'object' || entry === null || !('mark' in entry) || !('lines' in entry)) return undefined;
    if (typeof entry.mark !== 'string' || !isCount(entry.lines, 1)) return undefined;
    batches.push({ batchId: entry.mark, lines: entry.lines });
  }
  return batches;
}

/** Parses one line, with or without its newline. Returns undefined if it is torn or not a commit record. */
export function parseCommitRecord(text: string): CommitRecord | undefined {
  const { rest, content } = splitFingerprints(text);
  const value = parseJson(rest);
  if (!isJsonObject(value)) return undefined;
  const { line, lines, offset, bytes, received_at: receivedAt, crc32c: checksum } = value;
  if (!isCount(line, 0) || !isCount(lines, 1) || !isCount(offset, 0) || !isCount(bytes, lines)) return undefined;
  if (typeof receivedAt !== 'string' || typeof checksum !== 'string' || !CHECKSUM.test(checksum)) return undefined;
  const receivedAtMicros = parseMicros(receivedAt);
  const batches = parseBatches(value['marks']);
  if (receivedAtMicros === undefined || batches === undefined) return undefined;
  const { origins } = value;
  return {
    line,
    lines,
    offset,
    bytes,
    receivedAtMicros,
    crc32c: checksum,
    batches,
    ...(typeof origins === 'string' && ORIGINS_TEXT.test(origins) && { origins }),
    ...(content !== undefined && { fingerprints: parseFingerprints(content, lines) }),
  };
}

const ORIGIN_LETTERS: ReadonlyMap<SenderOrigin | undefined, string> = new Map([
  ['token', 't'],
  ['local', 'l'],
  ['anonymous', 'a'],
  [undefined, 'u'],
]);
const ORIGINS_TEXT = /^[tlau\d]+$/;
const ORIGIN_RUN = /([tlau])(\d{0,15})/g;

/** The senders of lines in order: a letter if all have one, else letters with numbers of lines, `t3a120`; undefined if all are unknown. */
export function originsText(origins: readonly (SenderOrigin | undefined)[]): string | undefined {
  const [first] = origins;
  if (origins.every((origin) => origin === first)) return first && ORIGIN_LETTERS.get(first);
  let text = '';
  let lines = 0;
  for (const [index, origin] of origins.entries()) {
    lines += 1;
    if (origins[index + 1] === origin && index + 1 < origins.length) continue;
    text += `${ORIGIN_LETTERS.get(origin)}${lines}`;
    lines = 0;
  }
  return text;
}

/** Who sent one line, by its index in the record; undefined if unknown. */
export function originAt({ origins = '' }: CommitRecord, index: number): SenderOrigin | undefined {
  let end = 0;
  for (const [, letter, lines] of origins.matchAll(ORIGIN_RUN)) {
    end += lines === '' ? Number.POSITIVE_INFINITY : Number(lines);
    if (index < end) return [...ORIGIN_LETTERS].find(([, other]) => other === letter)?.[0];
  }
  return undefined;
}

const NEWLINE = 0x0a;

/** The starts of a commit's lines and the end of the last one; undefined if the bytes are not exactly `lines` lines. */
export function lineStarts(bytes: Buffer, lines: number): Uint32Array | undefined {
  // A damaged record may hold any number: it must not be allocated.
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

/** Whether bytes are those of a record, by length and checksum. */
export function isWhole(record: CommitRecord, bytes: Buffer): boolean {
  return bytes.length === record.bytes && checksumOf(bytes) === record.crc32c;
}

/** The fault of a damaged commit. `what` ends the sentence about its lines. */
export function commitDamaged(partition: Partition, record: CommitRecord, what: string): Fault {
  const last = record.line + record.lines - 1;
  const lines = record.lines === 1 ? `Line ${record.line}` : `Lines ${record.line} to ${last}`;
  return new Fault(
    'RECORD_DAMAGED',
    `${lines} of ${partition.folder}/raw.ndjson, received ${formatMicros(record.receivedAtMicros)}, ${what}. Restore the file from a backup.`,
  );
}

/** The fingerprints of the lines of one commit record on arrival. */
export interface CommitFingerprints {
  /** Grouping version of all of them. */
  readonly version: number;
  /** 32 lowercase hexadecimal characters for each line, in order. */
  readonly values: string;
}

/** The fingerprint of one line on arrival. */
export interface StoredFingerprint {
  readonly version: number;
  readonly value: FingerprintValue;
}

const VALUE_LENGTH = 32;
/** Cannot occur earlier in a record: quotes within a batch id are escaped. */
const MEMBER = ',"fingerprints":';
const CONTENT = /^\{"version":([1-9]\d{0,14}),"values":"([0-9a-f]*)","crc32c":"([0-9a-f]{8})"\}\}\s*$/;

/** The last member of a record; its checksum is over `<version>:<values>`. */
function encodeFingerprints({ version, values }: CommitFingerprints): object {
  return { version, values, crc32c: checksumOf(`${version}:${values}`) };
}

/** Splits off the fingerprints, most of a line, so that damage to them loses nothing else; `content` may be undefined. */
export function splitFingerprints(text: string): { readonly rest: string; readonly content: string | undefined } {
  const at = text.indexOf(MEMBER);
  if (at < 0) return { rest: text, content: undefined };
  return { rest: `${text.slice(0, at)}}`, content: text.slice(at + MEMBER.length) };
}

/** Parses the `content` of `splitFingerprints`; `damaged` if its length or checksum is wrong. */
function parseFingerprints(content: string, lines: number): CommitFingerprints | 'damaged' {
  const [, version = '', values = '', checksum] = CONTENT.exec(content) ?? [];
  const isWhole = values.length === lines * VALUE_LENGTH && checksum === checksumOf(`${version}:${values}`);
  return isWhole ? { version: Number(version), values } : 'damaged';
}

/** The fingerprint of one line, by its index in the record. */
export function fingerprintAt({ version, values }: CommitFingerprints, index: number): StoredFingerprint {
  const value = values.slice(index * VALUE_LENGTH, (index + 1) * VALUE_LENGTH) as FingerprintValue;
  return { version, value };
}

/** The CRC-32C as 8 lowercase hexadecimal digits. */
export function checksumOf(content: Uint8Array | string): string {
  return computeCrc32c(content).toString(16).padStart(8, '0');
}
