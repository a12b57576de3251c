import type { Fault } from '../../../event/fault.js';
import type { DataFolder, ReadableFile } from '../../files/store-files.js';
import { MAX_COMMIT_RAW_BYTES } from '../commits/commit-record.js';
import type { ReplayedCommit, ReplayedLine } from '../commits/replayed-commit.js';
import { hourOfMicros } from '../partitions/arrival-clock.js';
import { COMMITS_FILE, type Partition, RAW_FILE } from '../partitions/partition-path.js';
import { walkPartitions } from '../partitions/walk-partitions.js';
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
  const waiting = new MinHeap<PartitionReplay>(isEarlier);
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
    if (replay.receivedAtMicros !== undefined) waiting.push(replay);
  }
  for (let next = waiting.peek(); next !== undefined; next = waiting.peek()) {
    const receivedAtMicros = next.receivedAtMicros ?? 0;
    const events = await linesAt(waiting, receivedAtMicros);
    if (events.length > 0) yield { receivedAtMicros, events };
  }
}

/** The lines of all partitions of one timestamp, in the order of their folders. */
async function linesAt(waiting: MinHeap<PartitionReplay>, micros: number): Promise<readonly ReplayedLine[]> {
  const lines: (readonly ReplayedLine[])[] = [];
  const advanced: PartitionReplay[] = [];
  while (waiting.peek()?.receivedAtMicros === micros) {
    const replay = waiting.pop();
    if (replay === undefined) break;
    lines.push(await replay.readNext());
    advanced.push(replay);
  }
  for (const replay of advanced) if (replay.receivedAtMicros !== undefined) waiting.push(replay);
  return lines.flat();
}

function isEarlier(a: PartitionReplay, b: PartitionReplay): boolean {
  const difference = (a.receivedAtMicros ?? 0) - (b.receivedAtMicros ?? 0);
  return difference < 0 || (difference === 0 && a.partition.folder < b.partition.folder);
}

function shareOf(bytes: number, count: number, most: number): number {
  return Math.min(most, Math.max(LEAST_CHUNK_BYTES, Math.floor(bytes / count)));
}

/** A binary min-heap. */
class MinHeap<T> {
  readonly #isBefore: (a: T, b: T) => boolean;
  readonly #items: T[] = [];

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    let at = this.#items.length;
    this.#items.push(item);
    for (let parent = (at - 1) >> 1; at > 0; parent = (at - 1) >> 1) {
      const above = this.#items[parent];
      if (above === undefined || !this.#isBefore(item, above)) break;
      this.#items[at] = above;
      at = parent;
    }
    this.#items[at] = item;
  }

  pop(): T | undefined {
    const first = this.#items[0];
    const last = this.#items.pop();
    if (last !== undefined && this.#items.length > 0) this.#sink(last);
    return first;
  }

  /** Replaces the first item. */
  #sink(item: T): void {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      let below = this.#items[child];
      const right = this.#items[child + 1];
      if (below !== undefined && right !== undefined && this.#isBefore(right, below)) {
        child += 1;
        below = right;
      }
      if (below === undefined || !this.#isBefore(below, item)) break;
      this.#items[at] = below;
      at = child;
    }
    this.#items[at] = item;
  }
}
