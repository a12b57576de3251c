import type { ReadableFile } from '../files/store-files.js';
import { findLastCommit, type PlacedCommit, readCommits, searchCommits } from './commit-log.js';
import { type CommitRecord, canBeRead, commitChecksum } from './commit-record.js';

/** Where the good part of a partition ends. */
export interface CommitTail {
  /** The last record to keep. */
  readonly kept: PlacedCommit | undefined;
  /** Records behind it: their bytes or their fingerprints are not there, or not as they were written, or a record before them is lost. */
  readonly dropped: readonly CommitRecord[];
}

/**
 * Finds the end of the good part. Of the last group commit (records after `durableMicros`) every byte is checked, because the end may have come
 * before its sync; of earlier ones only whether the raw file is long enough.
 */
export async function findCommitTail(
  commits: ReadableFile,
  raw: ReadableFile,
  durableMicros: number,
): Promise<CommitTail> {
  const rawBytes = await raw.size();
  const isLongEnough = (record: CommitRecord): boolean => record.offset + record.bytes <= rawBytes;
  const last = await findLastCommit(commits);
  // Where the last record's bytes are there, so are those of all before it, even if one of them says otherwise.
  const allThere = last === undefined || isLongEnough(last.record);
  const there = allThere ? last : (await searchCommits(commits, isLongEnough)).before;
  const durable = await searchCommits(commits, (record) => record.receivedAtMicros <= durableMicros);
  let kept = endOf(there) < endOf(durable.before) ? there : durable.before;
  const dropped: CommitRecord[] = [];
  for await (const batch of readCommits(commits, { from: endOf(kept) })) {
    for (const commit of batch) {
      const isGood =
        dropped.length === 0 && follows(commit.record, kept?.record) && (await isWhole(raw, commit.record));
      if (isGood) kept = commit;
      else dropped.push(commit.record);
    }
  }
  return { kept, dropped };
}

function endOf(commit: PlacedCommit | undefined): number {
  return commit?.end ?? 0;
}

function follows(record: CommitRecord, before: CommitRecord | undefined): boolean {
  const line = before === undefined ? 0 : before.line + before.lines;
  const offset = before === undefined ? 0 : before.offset + before.bytes;
  return record.line === line && record.offset === offset;
}

async function isWhole(raw: ReadableFile, record: CommitRecord): Promise<boolean> {
  if (record.fingerprints === 'damaged' || !canBeRead(record)) return false;
  const { offset, bytes, crc32c } = record;
  const found = await raw.read(offset, bytes);
  return found.length === bytes && commitChecksum(found) === crc32c;
}
