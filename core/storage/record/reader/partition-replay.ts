import type { Fault } from '../../../event/fault.js';
import type { ReadableFile } from '../../files/store-files.js';
import {
  type CommitRecord,
  canBeRead,
  commitDamaged,
  isWhole,
  lineStarts,
  parseCommitRecord,
  positionAfter,
} from '../commits/commit-record.js';
import { findLastCommit, type PlacedCommit, readCommits, searchCommits } from '../commits/commit-search.js';
import { CommitLine, type ReplayedLine } from '../commits/replayed-commit.js';
import { createReadWindow } from '../io/read-window.js';
import { hourOfMicros } from '../partitions/arrival-clock.js';
import type { Partition } from '../partitions/partition-path.js';

interface PartitionReplayOptions {
  partition: Partition;
  raw: ReadableFile;
  commits: ReadableFile;
  /** Commits up to here are skipped. */
  afterMicros: number;
  /** Bytes of one read of the raw file. */
  rawChunkBytes: number;
  /** Bytes of one read of the commit file. */
  commitChunkBytes: number;
  onDamage: (fault: Fault) => void;
}

/** The commits of one timestamp in a partition. */
export interface PartitionInstant {
  readonly partition: Partition;
  readonly receivedAtMicros: number;
  /** Reads and checks their lines; call it once, before the replay goes on. */
  readLines(): Promise<readonly ReplayedLine[]>;
}

/** Replays the commits of a partition after `afterMicros`; ends before missing bytes. Between steps it holds no raw bytes. */
export async function* replayPartition(options: PartitionReplayOptions): AsyncGenerator<PartitionInstant, undefined> {
  const { partition, commits, commitChunkBytes: chunkBytes } = options;
  const { before, found } = await searchCommits(commits, (record) => record.receivedAtMicros <= options.afterMicros);
  if (found === undefined) return;
  let hasEnded = false;
  const readCommit = createCommitReader(options, before?.record);
  const readLines = async (group: readonly PlacedCommit[]): Promise<readonly ReplayedLine[]> => {
    const lines: ReplayedLine[] = [];
    for (const commit of group) {
      if (!hasEnded) hasEnded = !(await readCommit(commit, lines));
    }
    return lines;
  };
  for await (const group of byTimestamp(readCommits(commits, { from: found.start, chunkBytes }), options)) {
    const receivedAtMicros = group[0]?.record.receivedAtMicros ?? 0;
    yield { partition, receivedAtMicros, readLines: () => readLines(group) };
    if (hasEnded) return;
  }
}

/** Creates a function that appends the lines of a commit to `replayed`; it returns false if the replay ends there. */
function createCommitReader(options: PartitionReplayOptions, before: CommitRecord | undefined) {
  const { partition, raw, commits, rawChunkBytes, onDamage } = options;
  const window = createReadWindow(raw, rawChunkBytes);
  let next = positionAfter(before);
  const report = (record: CommitRecord, what: string): void => onDamage(commitDamaged(partition, record, what));

  /** A lost record leaves a gap; its lines have no timestamp and cannot be replayed. */
  function checkContinuity(record: CommitRecord): void {
    if (record.line !== next.line || record.offset !== next.offset) {
      report(record, `do not follow line ${next.line - 1}: a commit record before them is missing or changed`);
    }
    next = positionAfter(record);
  }

  function addLines(record: CommitRecord, bytes: Buffer, replayed: ReplayedLine[]): void {
    const starts = lineStarts(bytes, record.lines);
    if (starts === undefined) {
      report(record, 'can no longer be separated and are left out');
      return;
    }
    if (record.fingerprints === 'damaged') report(record, 'have lost their stored fingerprints, and are grouped again');
    const commit = { partition, record, bytes, starts };
    for (let index = 0; index < record.lines; index += 1) replayed.push(new CommitLine(commit, index));
  }

  /** A running writer may refuse and cut a commit between the reads of its record and of its bytes. */
  async function wasRolledBack({ record, start, end }: PlacedCommit): Promise<boolean> {
    const now = parseCommitRecord((await commits.read(start, end - start)).toString('utf8'));
    return now?.crc32c !== record.crc32c || now.receivedAtMicros !== record.receivedAtMicros;
  }

  /** Only the last commit can be in flight: bytes missing before it are lost, and if the last one's exist, only this record is wrong. */
  async function continuesAfterShort(record: CommitRecord): Promise<boolean> {
    const last = (await findLastCommit(commits))?.record;
    if (last === undefined || last.receivedAtMicros === record.receivedAtMicros) return false;
    report(record, 'are cut off');
    return last.offset + last.bytes <= (await raw.size());
  }

  return async (commit: PlacedCommit, replayed: ReplayedLine[]): Promise<boolean> => {
    const { record } = commit;
    checkContinuity(record);
    if (!canBeRead(record)) {
      report(record, 'would have more bytes than a commit can hold, and are left out');
      return true;
    }
    let bytes = await window(record.offset, record.bytes);
    // While a writer appends, the window may be older than the record.
    if (!isWhole(record, bytes)) bytes = await raw.read(record.offset, record.bytes);
    if (!isWhole(record, bytes)) {
      if (await wasRolledBack(commit)) return false;
      if (bytes.length < record.bytes) return await continuesAfterShort(record);
      report(record, 'do not match their checksum');
    }
    addLines(record, bytes, replayed);
    return true;
  };
}

/** Groups records by `received_at`: a large batch has several. Drops those outside the partition's hour: they were changed, and would move the cursor of the index. */
async function* byTimestamp(
  batches: AsyncIterable<PlacedCommit[]>,
  { partition, onDamage }: PartitionReplayOptions,
): AsyncGenerator<PlacedCommit[]> {
  let group: PlacedCommit[] = [];
  for await (const batch of batches) {
    for (const commit of batch) {
      const { record } = commit;
      if (hourOfMicros(record.receivedAtMicros) !== partition.hour) {
        onDamage(commitDamaged(partition, record, 'have a time outside their hour'));
        continue;
      }
      if (group.length > 0 && group[0]?.record.receivedAtMicros !== record.receivedAtMicros) {
        yield group;
        group = [];
      }
      group.push(commit);
    }
  }
  if (group.length > 0) yield group;
}
