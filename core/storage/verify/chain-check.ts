import type { ReadableFile } from '../files/store-files.js';
import {
  type CommitPosition,
  type CommitRecord,
  canBeRead,
  encodeCommitRecord,
  MAX_COMMIT_RECORD_BYTES,
  parseCommitRecord,
  splitFingerprints,
} from '../record/commits/commit-record.js';
import { scanLines } from '../record/io/read-lines.js';
import { hourOfMicros } from '../record/partitions/arrival-clock.js';
import { COMMITS_FILE, type Partition, RAW_FILE } from '../record/partitions/partition-path.js';
import { nameLines } from './blame-lines.js';
import { type CommitBlame, type CommitCheck, checkCommit, type ReadSpan } from './check-commit.js';
import type { VerifyContext } from './verify-context.js';

/** One line of a `commits.ndjson`, valid or not. */
interface CommitRow {
  /** Zero-based line of the commit file. */
  readonly number: number;
  readonly start: number;
  readonly isTorn: boolean;
  /** Undefined if the line cannot be parsed. */
  readonly record: CommitRecord | undefined;
  /** What is wrong with the line itself; undefined if nothing is. */
  readonly problem: string | undefined;
}

/** Yields every line of a commit file with the next one, which shows where a record with a changed length ends. */
export async function* readCommitRows(
  commits: ReadableFile,
): AsyncGenerator<{ readonly row: CommitRow; readonly next: CommitRow | undefined }> {
  let row: CommitRow | undefined;
  for await (const lines of scanLines(commits, { maxLineBytes: MAX_COMMIT_RECORD_BYTES })) {
    for (const { number, start, bytes, isTorn } of lines) {
      const next = { number, start, isTorn, ...readRow(bytes, isTorn) };
      if (row !== undefined) yield { row, next };
      row = next;
    }
  }
  if (row !== undefined) yield { row, next: undefined };
}

function readRow(bytes: Buffer | undefined, isTorn: boolean): Pick<CommitRow, 'record' | 'problem'> {
  if (bytes === undefined) return { record: undefined, problem: `is longer than ${MAX_COMMIT_RECORD_BYTES} bytes` };
  const text = bytes.toString('utf8');
  const record = isTorn ? undefined : parseCommitRecord(text);
  if (record === undefined) return { record, problem: 'is not a commit record' };
  return { record, problem: problemOf(record, text) };
}

/** Written by a version before this one, about its search; ignored. */
const FORMER_MEMBER = /,"plain_from":\d{1,16}/;

/** The store encodes a record in exactly one way, so a changed key or batch id shows even if the rest can be parsed. */
function problemOf(record: CommitRecord, text: string): string | undefined {
  // Damaged fingerprints have their own finding.
  const known = record.fingerprints === 'damaged' ? splitFingerprints(text).rest : text;
  const written = known.replace(FORMER_MEMBER, '');
  if (encodeCommitRecord(record) !== `${written}\n`) return 'is not encoded as a commit record';
  if (!canBeRead(record)) return 'covers more than a commit can hold';
  const batchLines = record.batches.reduce((sum, { lines }) => sum + lines, 0);
  return batchLines > record.lines ? 'counts more lines in its batches than it has' : undefined;
}

interface CheckedRaw {
  readonly read: ReadSpan;
  /** Length before the commit file was read. */
  readonly bytes: number;
  readonly exists: boolean;
}

/** Consecutive records whose bytes are not in the file; holds only the first and the last, because there may be very many. */
interface ShortRun {
  readonly number: number;
  readonly first: CommitRecord;
  /** Lines of the first one that are still in the file. */
  readonly linesInFile: number;
  readonly last: CommitRecord;
}

/** Checks the commit records of a partition in order, each against the previous one and its bytes. */
export class ChainCheck {
  readonly #context: VerifyContext;
  readonly #partition: Partition;
  readonly #raw: CheckedRaw;
  /** Where the next commit must begin. */
  #position: CommitPosition = { line: 0, offset: 0 };
  #lastMicros = 0;
  #isAfterDamage = false;
  #short: ShortRun | undefined;

  constructor(context: VerifyContext, partition: Partition, raw: CheckedRaw) {
    this.#context = context;
    this.#partition = partition;
    this.#raw = raw;
  }

  get position(): CommitPosition {
    return this.#position;
  }

  /** Checks one line of the commit file; returns false if the writer is still writing it, so nothing after it counts. */
  async check(row: CommitRow, next: CommitRow | undefined): Promise<boolean> {
    const { blames, end, linesOfShort } = await this.#checkRow(row, next);
    const { number, record } = row;
    if ((blames.length > 0 || linesOfShort !== undefined) && this.#mayBeUnderWay(row, next)) {
      const what = 'The last commit is not complete.';
      this.#report({ in: 'commits', code: 'COMMIT_UNDER_WAY', line: number, what });
      return false;
    }
    if (record !== undefined && linesOfShort === undefined) this.#countComplete(record);
    if (record !== undefined && linesOfShort !== undefined) this.#countShort(number, record, linesOfShort);
    for (const blame of blames) this.#report(blame);
    this.#isAfterDamage = blames.length > 0;
    this.#position = end;
    return true;
  }

  /** Reports lost lines; call it after the last record. */
  reportLost(): void {
    if (this.#short === undefined) return;
    const { first, linesInFile, last } = this.#short;
    const line = first.line + Math.min(linesInFile, first.lines - 1);
    const lost = nameLines(line, Math.max(1, last.line + last.lines - line));
    const { exists, bytes } = this.#raw;
    if (exists) {
      const what = `${lost} are cut off: the file ends at byte ${bytes}.`;
      this.#report({ in: 'raw', code: 'RAW_TRUNCATED', line, offset: bytes, what });
    } else {
      this.#report({ in: 'raw', code: 'RAW_MISSING', line, what: `The file of ${lost} is missing.` });
    }
  }

  async #checkRow(row: CommitRow, next: CommitRow | undefined): Promise<CommitCheck> {
    const { record } = row;
    const blames = blameRow(row);
    if (record === undefined) return { blames, end: this.#position, linesOfShort: undefined };
    const timeBlames = this.#blameTime(row.number, record);
    const end = next === undefined ? this.#raw.bytes : record.offset + record.bytes;
    const result = await checkCommit({
      partition: this.#partition,
      record,
      number: row.number,
      expected: this.#position,
      isAfterDamage: this.#isAfterDamage,
      nextOffset: next?.record?.offset ?? end,
      readRaw: this.#raw.read,
    });
    return { ...result, blames: [...blames, ...timeBlames, ...result.blames] };
  }

  #blameTime(line: number, { receivedAtMicros }: CommitRecord): CommitBlame[] {
    if (hourOfMicros(receivedAtMicros) !== this.#partition.hour) {
      const what = 'The commit record has a time outside the hour of its folder.';
      return [{ in: 'commits', code: 'COMMIT_OUTSIDE_HOUR', line, what }];
    }
    const isBackwards = receivedAtMicros < this.#lastMicros;
    this.#lastMicros = receivedAtMicros;
    if (!isBackwards) return [];
    const what = 'The commit record has an earlier time than the previous one: one of the two times was changed.';
    return [{ in: 'commits', code: 'COMMIT_TIME_BACKWARDS', line, what }];
  }

  #mayBeUnderWay({ record }: CommitRow, next: CommitRow | undefined): boolean {
    const micros = record?.receivedAtMicros ?? next?.record?.receivedAtMicros ?? Number.POSITIVE_INFINITY;
    return this.#context.writer !== undefined && micros > this.#context.durableMicros;
  }

  /** If a later record has its bytes, the file is long enough, so the numbers of the short records are wrong. */
  #countComplete(record: CommitRecord): void {
    this.#context.events += record.lines;
    if (this.#short === undefined) return;
    const { number, first, last } = this.#short;
    const lines = nameLines(first.line, Math.max(1, last.line + last.lines - first.line));
    const what = `${lines} would lie after the end of the raw file: the numbers of their commit were changed.`;
    this.#report({ in: 'commits', code: 'COMMIT_RECORD_CHANGED', line: number, what });
    this.#short = undefined;
  }

  #countShort(number: number, record: CommitRecord, linesInFile: number): void {
    if (this.#short === undefined) this.#short = { number, first: record, linesInFile, last: record };
    else this.#short = { ...this.#short, last: record };
  }

  #report({ in: inFile, ...blame }: CommitBlame): void {
    const file = `${this.#partition.folder}/${inFile === 'raw' ? RAW_FILE : COMMITS_FILE}`;
    this.#context.report({ ...blame, file });
    if (blame.code !== 'COMMIT_UNDER_WAY') this.#context.damagedFolders.add(this.#partition.folder);
  }
}

/** What is wrong with a line of the commit file itself. */
function blameRow({ number, start, isTorn, record, problem }: CommitRow): CommitBlame[] {
  const blames: CommitBlame[] = [];
  if (problem !== undefined) {
    const code = isTorn ? 'COMMIT_TORN' : 'COMMIT_RECORD_INVALID';
    const what = isTorn ? 'The last line has no end.' : `The line ${problem}.`;
    blames.push({ in: 'commits', code, line: number, offset: start, what });
  }
  if (record?.fingerprints === 'damaged') {
    const what = `The fingerprints of ${record.lines} lines from line ${record.line} on do not match their checksum.`;
    blames.push({ in: 'commits', code: 'COMMIT_FINGERPRINTS_DAMAGED', line: number, offset: start, what });
  }
  return blames;
}
