import type { FileEnd, ReadableFile } from '../../files/store-files.js';
import { type PlacedLine, readLines } from '../io/read-lines.js';
import { type CommitRecord, MAX_COMMIT_RECORD_BYTES, parseCommitRecord } from './commit-record.js';

/** A commit record with its byte range in `commits.ndjson`. */
export interface PlacedCommit {
  readonly record: CommitRecord;
  readonly start: number;
  /** Start of the next line. */
  readonly end: number;
}

/** Of the first probe; a later one reads twice the length of the last record, which mostly holds the next whole one. */
const PROBE_BYTES = 1024;
const LINEAR_BYTES = 8 * 1024;
/** The end of a file in which the last record is, if no other lines follow it. */
const TAIL_BYTES = MAX_COMMIT_RECORD_BYTES + 1;

function placeCommit(line: PlacedLine): PlacedCommit | undefined {
  const record = parseCommitRecord(line.bytes.toString('utf8'));
  return record && { record, start: line.start, end: line.start + line.bytes.length + 1 };
}

/** The records from a line start on, one array for each read. Skips lines that are not commit records, and a torn last line. */
export async function* readCommits(
  file: ReadableFile,
  range: { from: number; to?: number; chunkBytes?: number },
): AsyncGenerator<PlacedCommit[]> {
  for await (const lines of readLines(file, { ...range, maxLineBytes: MAX_COMMIT_RECORD_BYTES })) {
    yield lines.map(placeCommit).filter((commit) => commit !== undefined);
  }
}

/** The first record that begins at `from` (any byte but the first of the file) or later, and before `to`. */
async function firstCommitFrom(
  file: ReadableFile,
  { from, to, chunkBytes }: { from: number; to: number; chunkBytes: number },
): Promise<PlacedCommit | undefined> {
  const range = { from: from - 1, to, chunkBytes, maxLineBytes: MAX_COMMIT_RECORD_BYTES };
  // From the byte before: bytes up to the first newline belong to an earlier line.
  for await (const lines of readLines(file, range)) {
    for (const line of lines) {
      const commit = line.start < from ? undefined : placeCommit(line);
      if (commit !== undefined) return commit;
    }
  }
  return undefined;
}

/** Searches by halves for the first record for which `isBefore`, which holds for all records before it, does not hold. */
export async function searchCommits(
  file: ReadableFile,
  isBefore: (record: CommitRecord) => boolean,
): Promise<{
  readonly before: PlacedCommit | undefined;
  readonly next: PlacedCommit | undefined;
}> {
  let low = 0;
  let high = await file.size();
  let before: PlacedCommit | undefined;
  let next: PlacedCommit | undefined;
  let chunkBytes = PROBE_BYTES;
  while (high - low > LINEAR_BYTES) {
    const middle = Math.floor((low + high) / 2);
    const probe = await firstCommitFrom(file, { from: middle, to: high, chunkBytes });
    if (probe !== undefined) chunkBytes = Math.max(PROBE_BYTES, 2 * (probe.end - probe.start));
    if (probe !== undefined && isBefore(probe.record)) {
      before = probe;
      low = probe.end;
    } else {
      next = probe ?? next;
      high = middle;
    }
  }
  for await (const commits of readCommits(file, { from: low, to: high, chunkBytes: LINEAR_BYTES })) {
    for (const commit of commits) {
      if (!isBefore(commit.record)) return { before, next: commit };
      before = commit;
    }
  }
  return { before, next };
}

/** The commit that holds a line. */
export async function findCommitOfLine(file: ReadableFile, line: number): Promise<CommitRecord | undefined> {
  const { next } = await searchCommits(file, (record) => record.line + record.lines <= line);
  return next !== undefined && next.record.line <= line ? next.record : undefined;
}

const NEWLINE = 0x0a;

/** The last record, if the end of a file shows it whole; `bytes` is the length of the file. Undefined does not mean that it has none. */
export function lastCommitIn({ bytes, end }: FileEnd): PlacedCommit | undefined {
  const endsAt = end.lastIndexOf(NEWLINE);
  if (endsAt < 0) return undefined;
  const before = endsAt === 0 ? -1 : end.lastIndexOf(NEWLINE, endsAt - 1);
  // Its start may lie before the bytes that were read.
  if (before < 0 && bytes > end.length) return undefined;
  return placeCommit({ start: bytes - end.length + before + 1, bytes: end.subarray(before + 1, endsAt) });
}

/** The last record of the file. */
export async function findLastCommit(file: ReadableFile): Promise<PlacedCommit | undefined> {
  const size = await file.size();
  const from = Math.max(0, size - TAIL_BYTES);
  const lines: PlacedLine[] = [];
  // One byte more, so that the first read finds the end.
  const range = { from, chunkBytes: size - from + 1, maxLineBytes: MAX_COMMIT_RECORD_BYTES };
  for await (const some of readLines(file, range)) lines.push(...some);
  // The first line of the tail may be torn: it is not a record then, unless it begins there.
  for (const line of lines.reverse()) {
    const commit = placeCommit(line);
    if (commit !== undefined) return commit;
  }
  return (await searchCommits(file, () => true)).before;
}
