import type { Fault } from '../../../event/fault.js';
import type { DataFolder, ReadableFile } from '../../files/store-files.js';
import { MAX_COMMIT_RAW_BYTES } from '../commits/commit-record.js';
import type { ReplayedCommit, ReplayedLine } from '../commits/replayed-commit.js';
import { hourOfMicros } from '../partitions/arrival-clock.js';
import { COMMITS_FILE, type Partition, RAW_FILE, walkPartitions } from '../partitions/partition-path.js';
import { openPartitionReplay, type PartitionReplay } from './partition-replay.js';

interface CommitReplayOptions extends DataFolder {
  file: (partition: Partition, name: string) => ReadableFile;
  afterMicros: number;
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
  for (const partition of await walkPartitions(options.files, options.directory, { from })) {
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
  const waiting: PartitionReplay[] = [];
  for (const partition of partitions) {
    const replay = await openPartitionReplay({
      partition,
      raw: options.file(partition, RAW_FILE),
      commits: options.file(partition, COMMITS_FILE),
      afterMicros: options.afterMicros,
      rawChunkBytes: shareOf(RAW_AHEAD_BYTES, partitions.length, MAX_COMMIT_RAW_BYTES),
      commitChunkBytes: shareOf(COMMITS_AHEAD_BYTES, partitions.length, LARGEST_COMMITS_CHUNK_BYTES),
      onDamage: options.onDamage,
    });
    enqueue(waiting, replay);
  }
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const receivedAtMicros = next.receivedAtMicros ?? 0;
    const sameTime = [next];
    while (waiting.at(-1)?.receivedAtMicros === receivedAtMicros) sameTime.push(...waiting.splice(-1));
    const lines: (readonly ReplayedLine[])[] = [];
    for (const replay of sameTime) lines.push(await replay.readNext());
    for (const replay of sameTime) enqueue(waiting, replay);
    const events = lines.flat();
    if (events.length > 0) yield { receivedAtMicros, events };
  }
}

/** Inserts a replay by binary search, unless it is at its end. */
function enqueue(waiting: PartitionReplay[], replay: PartitionReplay): void {
  if (replay.receivedAtMicros === undefined) return;
  let low = 0;
  let high = waiting.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = waiting[middle];
    if (other !== undefined && isEarlier(replay, other)) low = middle + 1;
    else high = middle;
  }
  waiting.splice(low, 0, replay);
}

function isEarlier(a: PartitionReplay, b: PartitionReplay): boolean {
  const difference = (a.receivedAtMicros ?? 0) - (b.receivedAtMicros ?? 0);
  return difference < 0 || (difference === 0 && a.partition.folder < b.partition.folder);
}

function shareOf(bytes: number, count: number, most: number): number {
  return Math.min(most, Math.max(LEAST_CHUNK_BYTES, Math.floor(bytes / count)));
}
