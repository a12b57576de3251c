import { dirname, join } from 'node:path';
import type { StoreFiles } from '../../files/store-files.js';
import {
  type CommitFingerprints,
  type CommitPosition,
  checksumOf,
  encodeCommitRecord,
  MAX_COMMIT_RAW_BYTES,
  originsText,
  positionAfter,
} from '../commits/commit-record.js';
import { findLastCommit } from '../commits/commit-search.js';
import type { CommittedEvent } from '../commits/committed-event.js';
import type { MeasuredHour } from '../hour-sizes.js';
import { AppendFile } from '../io/append-file.js';
import type { BufferPool } from '../io/buffer-pool.js';
import { ReadHandles } from '../io/file-handles.js';
import { settleAll } from '../io/settle-all.js';
import { createEventIds } from '../partitions/event-id.js';
import { COMMITS_FILE, type Partition, RAW_FILE } from '../partitions/partition-path.js';
import type { PlannedPartition, PlannedRecord } from './commit-plan.js';

const NEWLINE = 0x0a;

/** The two files of one partition, open for appending. */
export class PartitionLog {
  readonly partition: Partition;
  readonly raw: AppendFile;
  readonly commits: AppendFile;
  /** Committed lines: the number of the next one. */
  lines: number;

  constructor(partition: Partition, files: { raw: AppendFile; commits: AppendFile }, lines: number) {
    this.partition = partition;
    this.raw = files.raw;
    this.commits = files.commits;
    this.lines = lines;
  }

  /** True while the files may hold refused lines. */
  get isDirty(): boolean {
    return this.raw.isDirty || this.commits.isDirty;
  }

  /**
   * Appends the lines of a commit and their commit records, and syncs both files. Returns the events, and puts them into the `committed` of
   * their appends; they are valid once the commit is accepted.
   */
  async write(
    planned: PlannedPartition,
    receivedAtMicros: number,
    buffers: BufferPool,
  ): Promise<readonly CommittedEvent[]> {
    const { partition } = this;
    const eventIdAt = createEventIds(partition, receivedAtMicros);
    const committed: CommittedEvent[] = [];
    let line = this.lines;
    let offset = this.raw.goodBytes;
    for (const record of planned.records) {
      await this.#writeRecord(record, { line, offset }, receivedAtMicros, buffers);
      for (const { event, rawLine, append, index } of record.lines) {
        const bytes = rawLine.length;
        const stored = { eventId: eventIdAt(line), event, partition, line, offset, bytes, receivedAtMicros };
        append.committed[index] = stored;
        committed.push(stored);
        line += 1;
        offset += bytes + 1;
      }
    }
    await this.#onBoth((file) => file.sync());
    return committed;
  }

  /** Appends the lines of one commit record, and the record. */
  async #writeRecord(
    record: PlannedRecord,
    { line, offset }: CommitPosition,
    receivedAtMicros: number,
    buffers: BufferPool,
  ): Promise<void> {
    // Allocating a megabyte for each commit would pile up garbage.
    const buffer = buffers.acquire(Math.max(record.bytes, MAX_COMMIT_RAW_BYTES));
    try {
      const raw = buffer.subarray(0, record.bytes);
      joinLines(record, raw);
      const encoded = encodeCommitRecord({
        line,
        lines: record.lines.length,
        offset,
        bytes: record.bytes,
        receivedAtMicros,
        crc32c: checksumOf(raw),
        batches: record.batches,
        origins: originsText(record.lines.map(({ append }) => append.origin)),
        fingerprints: fingerprintsOf(record),
      });
      const appends = [() => this.raw.append(raw), () => this.commits.append(Buffer.from(encoded, 'utf8'))];
      await settleAll(appends, appends.length, (append) => append());
    } finally {
      buffers.release(buffer);
    }
  }

  /** Rejects with `RECORD_MOVED` if a file is not at its path. */
  async check(): Promise<void> {
    await this.raw.check();
    await this.commits.check();
  }

  /** Cuts what was not accepted. */
  async rollback(): Promise<void> {
    await this.#onBoth((file) => file.rollback());
  }

  /** Syncs what was written without a sync. */
  async flush(): Promise<void> {
    await this.#onBoth((file) => file.flush());
  }

  /** The next use opens the files again. */
  async closeFiles(): Promise<void> {
    await this.#onBoth((file) => file.closeHandle());
  }

  /** Makes everything written good; returns what it added to the hour. */
  accept(lines: number): MeasuredHour {
    const [rawBefore, commitsBefore] = [this.raw.goodBytes, this.commits.goodBytes];
    this.raw.accept();
    this.commits.accept();
    this.lines += lines;
    return {
      hour: this.partition.hour,
      partitions: rawBefore === 0 ? 1 : 0,
      rawBytes: this.raw.goodBytes - rawBefore,
      commitBytes: this.commits.goodBytes - commitsBefore,
    };
  }

  /** Runs a step on both files at once; throws the first failure when both have ended. */
  async #onBoth(step: (file: AppendFile) => Promise<void>): Promise<void> {
    await settleAll([this.raw, this.commits], 2, step);
  }
}

/** Opens a partition at the end of its last commit; creates its folder if missing. */
export async function openPartitionLog(
  files: StoreFiles,
  directory: string,
  partition: Partition,
  durable: boolean,
): Promise<PartitionLog> {
  const folder = join(directory, partition.folder);
  await files.makeFolder(folder);
  for (let path = folder; path !== directory; path = dirname(path)) {
    // Readers of the record do not follow links.
    if ((await files.statNow(path))?.kind === 'other')
      throw new Error(`${path} is a symbolic link: put a folder there`);
  }
  await using handles = new ReadHandles(files, 1);
  const last = await findLastCommit(handles.file(join(folder, COMMITS_FILE)));
  const { line, offset } = positionAfter(last?.record);
  const raw = new AppendFile(files, join(folder, RAW_FILE), { goodBytes: offset, durable });
  const commits = new AppendFile(files, join(folder, COMMITS_FILE), { goodBytes: last?.end ?? 0, durable });
  return new PartitionLog(partition, { raw, commits }, line);
}

/** All lines of a record have the same grouping version. */
function fingerprintsOf({ lines }: PlannedRecord): CommitFingerprints | undefined {
  const [first] = lines;
  if (first === undefined) return undefined;
  const { version } = first.event.fingerprint;
  return { version, values: lines.map(({ event }) => event.fingerprint.value).join('') };
}

function joinLines(record: PlannedRecord, joined: Buffer): void {
  let at = 0;
  for (const { rawLine } of record.lines) {
    joined.set(rawLine, at);
    at += rawLine.length;
    joined[at] = NEWLINE;
    at += 1;
  }
}
