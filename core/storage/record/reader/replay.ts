import { firstNotBefore } from '../../../binary-search.js';
import type { Fault } from '../../../event/fault.js';
import { beginTimeSlice } from '../../../time-slice.js';
import type { DataFolder, ReadableFile } from '../../files/store-files.js';
import { MAX_COMMIT_RAW_BYTES } from '../commits/commit-record.js';
import type { ReplayedCommit, ReplayedLine } from '../commits/replayed-commit.js';
import { lastReceivedAt } from '../inspect-partitions.js';
import { hourOfMicros } from '../partitions/arrival-clock.js';
import { COMMITS_FILE, type Partition, RAW_FILE, walkPartitions } from '../partitions/partition-path.js';
import { type PartitionInstant, replayPartition } from './partition-replay.js';

interface CommitReplayOptions extends DataFolder {
  file: (partition: Partition, name: string) => ReadableFile;
  afterMicros: number;
  /** The partitions that hold what was received after it; default: those on the disk. */
  among?: readonly Partition[] | undefined;
  onDamage: (fault: Fault) => void;
}

/** Read-ahead of all partitions of one hour together. */
const RAW_AHEAD_BYTES = 32 * 1024 * 1024;
const COMMITS_AHEAD_BYTES = 4 * 1024 * 1024;
const LEAST_CHUNK_BYTES = 4 * 1024;
const LARGEST_COMMITS_CHUNK_BYTES = 64 * 1024;

/** Yields the record after `afterMicros`, hour by hour, with the partitions of an hour merged. */
export async function* replayCommits(options: CommitReplayOptions): AsyncGenerator<ReplayedCommit> {
  const from = hourOfMicros(options.afterMicros);
  let sameHour: Partition[] = [];
  for (const partition of options.among ?? (await walkPartitions(options.files, options.directory, { from }))) {
    if (sameHour[0] !== undefined && sameHour[0].hour !== partition.hour) {
      yield* replayHour(options, sameHour);
      sameHour = [];
    }
    sameHour.push(partition);
  }
  yield* replayHour(options, sameHour);
}

async function* replayHour(
  options: CommitReplayOptions,
  partitions: readonly Partition[],
): AsyncGenerator<ReplayedCommit> {
  /** The next one last. */
  const waiting: Waiting[] = [];
  const slice = beginTimeSlice();
  for (const partition of partitions) {
    if (slice.isOver) await slice.next();
    if (await endsBefore(options, partition)) continue;
    const replay = replayPartition({
      partition,
      raw: options.file(partition, RAW_FILE),
      commits: options.file(partition, COMMITS_FILE),
      afterMicros: options.afterMicros,
      rawChunkBytes: shareOf(RAW_AHEAD_BYTES, partitions.length, MAX_COMMIT_RAW_BYTES),
      commitChunkBytes: shareOf(COMMITS_AHEAD_BYTES, partitions.length, LARGEST_COMMITS_CHUNK_BYTES),
      onDamage: options.onDamage,
    });
    await enqueueNext(waiting, replay);
  }
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { receivedAtMicros } = next.instant;
    const sameTime = [next];
    while (waiting.at(-1)?.instant.receivedAtMicros === receivedAtMicros) sameTime.push(...waiting.splice(-1));
    const events: ReplayedLine[] = [];
    for (const { instant } of sameTime) for (const line of await instant.readLines()) events.push(line);
    for (const { replay } of sameTime) await enqueueNext(waiting, replay);
    if (events.length > 0) yield { receivedAtMicros, events };
  }
}

/** Whether a partition holds nothing that is replayed. In most hours few partitions of many get events at a time. */
async function endsBefore(
  { files, directory, afterMicros }: CommitReplayOptions,
  partition: Partition,
): Promise<boolean> {
  if (afterMicros === 0) return false;
  const last = await lastReceivedAt({ files, directory }, partition);
  return last > 0 && last <= afterMicros;
}

interface Waiting {
  readonly instant: PartitionInstant;
  readonly replay: ReturnType<typeof replayPartition>;
}

/** Inserts the next instant of a replay by binary search, unless it is at its end. */
async function enqueueNext(waiting: Waiting[], replay: Waiting['replay']): Promise<void> {
  const { value: instant } = await replay.next();
  if (instant === undefined) return;
  const at = firstNotBefore(waiting.length, (index) => {
    const other = waiting[index]?.instant;
    return other !== undefined && isEarlier(instant, other);
  });
  waiting.splice(at, 0, { instant, replay });
}

function isEarlier(a: PartitionInstant, b: PartitionInstant): boolean {
  const difference = a.receivedAtMicros - b.receivedAtMicros;
  return difference < 0 || (difference === 0 && a.partition.folder < b.partition.folder);
}

function shareOf(bytes: number, count: number, most: number): number {
  return Math.min(most, Math.max(LEAST_CHUNK_BYTES, Math.floor(bytes / count)));
}
