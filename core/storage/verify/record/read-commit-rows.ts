import type { ReadableFile } from '../../files/store-files.js';
import {
  type CommitRecord,
  canBeRead,
  encodeCommitRecord,
  MAX_COMMIT_RECORD_BYTES,
  parseCommitRecord,
  splitFingerprints,
} from '../../record/commits/commit-record.js';
import { scanLines } from './scan-lines.js';

/** One line of a `commits.ndjson`, whether it is a record or not. */
export interface CommitRow {
  /** Line of the commit file, zero-based. */
  readonly number: number;
  readonly start: number;
  readonly isTorn: boolean;
  /** Undefined where no commit record can be read from it. */
  readonly record: CommitRecord | undefined;
  /** What is wrong with the line by itself; undefined when nothing is. */
  readonly problem: string | undefined;
}

/** Every line of a commit file together with the line behind it: only that tells where a record with a changed length ends. */
export async function* readCommitRows(
  commits: ReadableFile,
): AsyncGenerator<{ readonly row: CommitRow; readonly next: CommitRow | undefined }> {
  let row: CommitRow | undefined;
  for await (const lines of scanLines(commits, MAX_COMMIT_RECORD_BYTES)) {
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
  if (record === undefined) return { record, problem: 'is no commit record' };
  return { record, problem: problemOf(record, text) };
}

/** The store writes a record in one way only, so a key or a mark that was changed shows although the rest can be read. */
function problemOf(record: CommitRecord, text: string): string | undefined {
  // Damaged fingerprints are said by themselves: the rest of the record counts.
  const written = record.fingerprints === 'damaged' ? splitFingerprints(text).rest : text;
  if (encodeCommitRecord(record) !== `${written}\n`) return 'is not written as a commit record is';
  if (!canBeRead(record)) return 'says that it covers more than a commit holds';
  const marked = record.batches.reduce((sum, { lines }) => sum + lines, 0);
  return marked > record.lines ? 'counts more lines in its marks than it has' : undefined;
}
