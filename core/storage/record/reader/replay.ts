import { firstNotBefore } from '../../../binary-search.js';
import type { Fault } from '../../../event/fault.js';
import { beginTimeSlice } from '../../../time-slice.js';
import type { DataFolder, ReadableFile } from '../../files/store-files.js';
import {
  type CommitPosition,
  type CommitRecord,
  canBeRead,
  commitDamaged,
  fingerprintAt,
  isWhole,
  lineStarts,
  MAX_COMMIT_RAW_BYTES,
  parseCommitRecord,
  positionAfter,
} from '../commits/commit-record.js';
import { findLastCommit, type PlacedCommit, readCommits, searchCommits } from '../commits/commit-search.js';
import type { ReplayedCommit, ReplayedLine } from '../commits/committed-event.js';
import { lastReceivedAt } from '../inspect-partitions.js';
import { createReadWindow, type ReadWindow } from '../io/read-lines.js';
import { hourOfMicros } from '../partitions/arrival-clock.js';
import { COMMITS_FILE, type Partition, RAW_FILE, walkPartitions } from '../partitions/partition-path.js';

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
  const waiting = new WaitingReplays();
  const slice = beginTimeSlice();
  for (const partition of partitions) {
    if (slice.isOver) await slice.next();
    if (await endsBefore(options, partition)) continue;
    await waiting.add(new PartitionReplay(options, partition, partitions.length).instants());
  }
  for (;;) {
    const sameTime = waiting.takeEarliest();
    const receivedAtMicros = sameTime[0]?.instant.receivedAtMicros;
    if (receivedAtMicros === undefined) return;
    const events = await readLines(sameTime);
    for (const { replay } of sameTime) await waiting.add(replay);
    if (events.length > 0) yield { receivedAtMicros, events };
  }
}

async function readLines(replays: readonly WaitingReplay[]): Promise<ReplayedLine[]> {
  const lines: ReplayedLine[] = [];
  for (const { instant } of replays) for (const line of await instant.readLines()) lines.push(line);
  return lines;
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

/** The commits of one timestamp in a partition. */
interface PartitionInstant {
  readonly partition: Partition;
  readonly receivedAtMicros: number;
  /** Reads and checks their lines; call it once, before the replay goes on. */
  readLines(): Promise<readonly ReplayedLine[]>;
}

interface WaitingReplay {
  readonly instant: PartitionInstant;
  readonly replay: AsyncGenerator<PartitionInstant, undefined>;
}

/** The replays of many partitions in the order of their next instant (time, then folder). */
class WaitingReplays {
  /** The next one last. */
  readonly #waiting: WaitingReplay[] = [];

  /** Inserts a replay by its next instant, unless it is at its end. */
  async add(replay: WaitingReplay['replay']): Promise<void> {
    const { value: instant } = await replay.next();
    if (instant === undefined) return;
    const at = firstNotBefore(this.#waiting.length, (index) => {
      const other = this.#waiting[index]?.instant;
      return other !== undefined && isEarlier(instant, other);
    });
    this.#waiting.splice(at, 0, { instant, replay });
  }

  /** Removes all replays whose next instant has the earliest time, in order of their folders; empty at the end. */
  takeEarliest(): WaitingReplay[] {
    const earliest = this.#waiting.at(-1)?.instant.receivedAtMicros;
    const taken: WaitingReplay[] = [];
    while (this.#waiting.length > 0 && this.#waiting.at(-1)?.instant.receivedAtMicros === earliest) {
      taken.push(...this.#waiting.splice(-1));
    }
    return taken;
  }
}

function isEarlier(a: PartitionInstant, b: PartitionInstant): boolean {
  const difference = a.receivedAtMicros - b.receivedAtMicros;
  return difference < 0 || (difference === 0 && a.partition.folder < b.partition.folder);
}

/** Replays the commits of one partition after an instant; ends before missing bytes. */
class PartitionReplay {
  readonly #partition: Partition;
  readonly #raw: ReadableFile;
  readonly #commits: ReadableFile;
  readonly #afterMicros: number;
  readonly #commitChunkBytes: number;
  readonly #readRaw: ReadWindow;
  readonly #onDamage: (fault: Fault) => void;
  /** Where the next commit must begin. */
  #next: CommitPosition = positionAfter(undefined);
  #hasEnded = false;

  /** `sharers`: partitions that are replayed at the same time and share the bytes that are read ahead. */
  constructor({ file, afterMicros, onDamage }: CommitReplayOptions, partition: Partition, sharers: number) {
    this.#partition = partition;
    this.#raw = file(partition, RAW_FILE);
    this.#commits = file(partition, COMMITS_FILE);
    this.#afterMicros = afterMicros;
    this.#commitChunkBytes = shareOf(COMMITS_AHEAD_BYTES, sharers, LARGEST_COMMITS_CHUNK_BYTES);
    this.#readRaw = createReadWindow(this.#raw, shareOf(RAW_AHEAD_BYTES, sharers, MAX_COMMIT_RAW_BYTES));
    this.#onDamage = onDamage;
  }

  /** The instants in order. Between them it holds no raw bytes beyond what was read ahead. */
  async *instants(): AsyncGenerator<PartitionInstant, undefined> {
    const isBefore = ({ receivedAtMicros }: CommitRecord): boolean => receivedAtMicros <= this.#afterMicros;
    const { before, next } = await searchCommits(this.#commits, isBefore);
    if (next === undefined) return;
    this.#next = positionAfter(before?.record);
    for await (const group of this.#groupsFrom(next.start)) {
      yield {
        partition: this.#partition,
        receivedAtMicros: group[0]?.record.receivedAtMicros ?? 0,
        readLines: () => this.#readLines(group),
      };
      if (this.#hasEnded) return;
    }
  }

  /** Groups records by `received_at`: a large batch has several. Drops those outside the partition's hour: they were changed, and would move the cursor of the index. */
  async *#groupsFrom(start: number): AsyncGenerator<PlacedCommit[]> {
    let group: PlacedCommit[] = [];
    for await (const batch of readCommits(this.#commits, { from: start, chunkBytes: this.#commitChunkBytes })) {
      for (const commit of batch) {
        const { record } = commit;
        if (hourOfMicros(record.receivedAtMicros) !== this.#partition.hour) {
          this.#report(record, 'have a time outside their hour');
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

  async #readLines(group: readonly PlacedCommit[]): Promise<readonly ReplayedLine[]> {
    const lines: ReplayedLine[] = [];
    for (const commit of group) {
      if (this.#hasEnded) break;
      const { record } = commit;
      this.#checkContinuity(record);
      if (!canBeRead(record)) {
        this.#report(record, 'would have more bytes than a commit can hold, and are left out');
        continue;
      }
      const bytes = await this.#readBytes(commit);
      if (bytes === undefined) this.#hasEnded = true;
      else if (bytes.length === record.bytes) this.#addLines(record, bytes, lines);
    }
    return lines;
  }

  /** A lost record leaves a gap; its lines have no timestamp and cannot be replayed. */
  #checkContinuity(record: CommitRecord): void {
    if (record.line !== this.#next.line || record.offset !== this.#next.offset) {
      this.#report(
        record,
        `do not follow line ${this.#next.line - 1}: a commit record before them is missing or changed`,
      );
    }
    this.#next = positionAfter(record);
  }

  /** The bytes of a commit, fewer if the file lacks them; undefined if the replay ends before it. */
  async #readBytes(commit: PlacedCommit): Promise<Buffer | undefined> {
    const { record } = commit;
    let bytes = await this.#readRaw(record.offset, record.bytes);
    // While a writer appends, what was read ahead may be older than the record.
    if (!isWhole(record, bytes)) bytes = await this.#raw.read(record.offset, record.bytes);
    if (isWhole(record, bytes)) return bytes;
    if (await this.#wasRolledBack(commit)) return undefined;
    if (bytes.length < record.bytes) return (await this.#continuesAfterShort(record)) ? bytes : undefined;
    this.#report(record, 'do not match their checksum');
    return bytes;
  }

  /** A running writer may refuse and cut a commit between the reads of its record and of its bytes. */
  async #wasRolledBack({ record, start, end }: PlacedCommit): Promise<boolean> {
    const now = parseCommitRecord((await this.#commits.read(start, end - start)).toString('utf8'));
    return now?.crc32c !== record.crc32c || now.receivedAtMicros !== record.receivedAtMicros;
  }

  /** Only the last commit can be in flight: bytes missing before it are lost, and if the last one's exist, only this record is wrong. */
  async #continuesAfterShort(record: CommitRecord): Promise<boolean> {
    const last = (await findLastCommit(this.#commits))?.record;
    if (last === undefined || last.receivedAtMicros === record.receivedAtMicros) return false;
    this.#report(record, 'are cut off');
    return last.offset + last.bytes <= (await this.#raw.size());
  }

  #addLines(record: CommitRecord, bytes: Buffer, lines: ReplayedLine[]): void {
    const starts = lineStarts(bytes, record.lines);
    if (starts === undefined) {
      this.#report(record, 'can no longer be separated and are left out');
      return;
    }
    const { fingerprints } = record;
    if (fingerprints === 'damaged') this.#report(record, 'have lost their stored fingerprints, and are grouped again');
    for (let index = 0; index < record.lines; index += 1) {
      const start = starts[index] ?? 0;
      const end = (starts[index + 1] ?? 0) - 1;
      lines.push({
        partition: this.#partition,
        line: record.line + index,
        offset: record.offset + start,
        bytes: end - start,
        rawLine: bytes.subarray(start, end),
        fingerprint: typeof fingerprints === 'object' ? fingerprintAt(fingerprints, index) : undefined,
      });
    }
  }

  #report(record: CommitRecord, what: string): void {
    this.#onDamage(commitDamaged(this.#partition, record, what));
  }
}

function shareOf(bytes: number, count: number, most: number): number {
  return Math.min(most, Math.max(LEAST_CHUNK_BYTES, Math.floor(bytes / count)));
}
