import type { Fault } from '../../../event/fault.js';
import type { ReadableFile } from '../../files/store-files.js';
import { CommitLine } from '../commits/commit-line.js';
import {
  type CommitRecord,
  canBeRead,
  checksumOf,
  commitDamaged,
  lineStarts,
  readCommitRecord,
} from '../commits/commit-record.js';
import { findLastCommit, type PlacedCommit, readCommits, searchCommits } from '../commits/commit-search.js';
import type { ReplayedLine } from '../commits/replayed-commit.js';
import { createReadWindow, type ReadWindow } from '../io/read-window.js';
import { hourOfMicros } from '../partitions/arrival-clock.js';
import type { Partition } from '../partitions/partition-path.js';

/** What the replay of one partition reads. */
export interface PartitionReplayOptions {
  partition: Partition;
  raw: ReadableFile;
  commits: ReadableFile;
  /** Commits up to here are left out. */
  afterMicros: number;
  /** Bytes of one read of the raw file. */
  rawChunkBytes: number;
  /** Bytes of one read of the commit file. */
  commitChunkBytes: number;
  onDamage: (fault: Fault) => void;
}

/** Stands before the first commit after an instant. */
export async function openPartitionReplay(options: PartitionReplayOptions): Promise<PartitionReplay> {
  const { commits, commitChunkBytes } = options;
  const { before, found } = await searchCommits(commits, (record) => record.receivedAtMicros <= options.afterMicros);
  const records = found === undefined ? [] : readCommits(commits, { from: found.start, chunkBytes: commitChunkBytes });
  const replay = new PartitionReplay(options, sameInstants(withinHour(records, options)), before?.record);
  await replay.advance();
  return replay;
}

/** One partition from a commit on. Between calls it holds the records of one instant; raw bytes are read when they are taken. */
export class PartitionReplay {
  readonly #options: PartitionReplayOptions;
  readonly #groups: AsyncIterator<PlacedCommit[]>;
  readonly #raw: ReadWindow;
  #group: readonly PlacedCommit[] = [];
  #hasEnded = false;
  #nextLine: number;
  #nextOffset: number;

  constructor(
    options: PartitionReplayOptions,
    groups: AsyncIterator<PlacedCommit[]>,
    before: CommitRecord | undefined,
  ) {
    this.#options = options;
    this.#groups = groups;
    this.#raw = createReadWindow(options.raw, options.rawChunkBytes);
    this.#nextLine = before === undefined ? 0 : before.line + before.lines;
    this.#nextOffset = before === undefined ? 0 : before.offset + before.bytes;
  }

  get partition(): Partition {
    return this.#options.partition;
  }

  /** When the next lines were received; undefined at the end. */
  get receivedAtMicros(): number | undefined {
    return this.#group[0]?.record.receivedAtMicros;
  }

  async advance(): Promise<void> {
    if (this.#hasEnded) {
      this.#group = [];
      return;
    }
    const next = await this.#groups.next();
    this.#group = next.done ? [] : next.value;
  }

  /** The lines of the next instant, checked; moves on to the one after it. What follows bytes that are missing is not taken. */
  async take(): Promise<readonly ReplayedLine[]> {
    const taken: ReplayedLine[] = [];
    for (const commit of this.#group) {
      if (this.#hasEnded) break;
      this.#hasEnded = !(await this.#take(commit, taken));
    }
    await this.advance();
    return taken;
  }

  async #take(commit: PlacedCommit, taken: ReplayedLine[]): Promise<boolean> {
    const { record } = commit;
    this.#checkPlace(record);
    if (!canBeRead(record)) {
      this.#report(record, 'would be more bytes than a commit holds, and are left out');
      return true;
    }
    let bytes = await this.#raw.bytesAt(record.offset, record.bytes);
    if (!isWhole(record, bytes)) {
      // Beside a writer the portion may be older than the record.
      bytes = await this.#options.raw.read(record.offset, record.bytes);
    }
    if (!isWhole(record, bytes)) {
      if (await this.#isTakenBack(commit)) return false;
      if (bytes.length < record.bytes) return this.#goesOnAfterShort(record);
      this.#report(record, 'do not match their checksum');
    }
    this.#addLines(record, bytes, taken);
    return true;
  }

  /** A record that was lost leaves a gap; lines that nobody dates cannot be replayed. */
  #checkPlace(record: CommitRecord): void {
    if (record.line !== this.#nextLine || record.offset !== this.#nextOffset) {
      this.#report(
        record,
        `do not follow line ${this.#nextLine - 1}: a commit record before them is missing or changed`,
      );
    }
    this.#nextLine = record.line + record.lines;
    this.#nextOffset = record.offset + record.bytes;
  }

  #addLines(record: CommitRecord, bytes: Buffer, taken: ReplayedLine[]): void {
    const { line, lines, offset, fingerprints } = record;
    const starts = lineStarts(bytes, lines);
    if (starts === undefined) {
      this.#report(record, 'can no longer be told apart and are left out');
      return;
    }
    this.#checkFingerprints(record);
    const stored = typeof fingerprints === 'object' ? fingerprints : undefined;
    const commit = { partition: this.partition, line, offset, bytes, fingerprints: stored };
    for (let index = 0; index < lines; index += 1) {
      const start = starts[index] ?? 0;
      const length = (starts[index + 1] ?? 0) - start - 1;
      taken.push(new CommitLine(commit, index, start, length));
    }
  }

  #checkFingerprints(record: CommitRecord): void {
    if (record.fingerprints !== 'damaged') return;
    this.#report(record, 'have lost what grouped them on arrival, and are grouped anew');
  }

  /** Beside a writer a commit may be refused and cut between our reads of its record and of its bytes. */
  async #isTakenBack({ record, start, end }: PlacedCommit): Promise<boolean> {
    const now = readCommitRecord((await this.#options.commits.read(start, end - start)).toString('utf8'));
    return now?.crc32c !== record.crc32c || now.receivedAtMicros !== record.receivedAtMicros;
  }

  /** Only the last commit can be under way: bytes that are missing before it are lost, and where the last one's are there, only this record is wrong. */
  async #goesOnAfterShort(record: CommitRecord): Promise<boolean> {
    const last = (await findLastCommit(this.#options.commits))?.record;
    if (last === undefined || last.receivedAtMicros === record.receivedAtMicros) return false;
    this.#report(record, 'are cut off');
    return last.offset + last.bytes <= (await this.#options.raw.size());
  }

  #report(record: CommitRecord, what: string): void {
    this.#options.onDamage(commitDamaged(this.partition, record, what));
  }
}

function isWhole(record: CommitRecord, bytes: Buffer): boolean {
  return bytes.length === record.bytes && checksumOf(bytes) === record.crc32c;
}

/** A record outside its partition's hour was changed from outside: given on, it would carry the index's cursor away. */
async function* withinHour(
  batches: AsyncIterable<PlacedCommit[]> | Iterable<PlacedCommit[]>,
  { partition, onDamage }: PartitionReplayOptions,
): AsyncGenerator<PlacedCommit[]> {
  for await (const batch of batches) {
    yield batch.filter(({ record }) => {
      const isWithin = hourOfMicros(record.receivedAtMicros) === partition.hour;
      if (!isWithin) onDamage(commitDamaged(partition, record, 'have a time outside their hour'));
      return isWithin;
    });
  }
}

/** Records of one `received_at` together: those of a large batch are several. */
async function* sameInstants(batches: AsyncIterable<PlacedCommit[]>): AsyncGenerator<PlacedCommit[]> {
  let group: PlacedCommit[] = [];
  for await (const batch of batches) {
    for (const commit of batch) {
      if (group.length > 0 && group[0]?.record.receivedAtMicros !== commit.record.receivedAtMicros) {
        yield group;
        group = [];
      }
      group.push(commit);
    }
  }
  if (group.length > 0) yield group;
}
