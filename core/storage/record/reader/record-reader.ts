import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { SenderOrigin } from '../../../contract/stages.js';
import type { Fault } from '../../../event/fault.js';
import type { EventId } from '../../../event/ids.js';
import type { DataFolder, ReadableFile } from '../../files/store-files.js';
import {
  type CommitRecord,
  canBeRead,
  checksumOf,
  commitDamaged,
  lineStarts,
  originAt,
} from '../commits/commit-record.js';
import { findCommitOfLine, readCommits } from '../commits/commit-search.js';
import type { ReplayedCommit } from '../commits/committed-event.js';
import { ReadHandles } from '../io/file-handles.js';
import { type EventIdParts, parseEventId } from '../partitions/event-id.js';
import { COMMITS_FILE, type Partition, RAW_FILE, walkPartitions } from '../partitions/partition-path.js';
import { replayCommits } from './replay.js';

/** The lines of one commit record that belong to a batch. */
export interface FoundBatch {
  readonly batchId: string;
  readonly partition: Partition;
  readonly lines: number;
  /** First line of the commit record, zero-based. */
  readonly firstLine: number;
}

interface ReplayOptions {
  readonly afterMicros: number;
  readonly among?: readonly Partition[] | undefined;
  readonly onDamage?: (fault: Fault) => void;
}

const MAX_OPEN_FILES = 64;
/** Partitions of the hours that were asked for last, about 200 bytes each. */
const MAX_LISTED_PARTITIONS = 50_000;

/** Opens the record for reading, with or without a writer in this or another process; reads nothing before the first call. */
export async function openRecordReader(options: DataFolder & { maxOpenFiles?: number }): Promise<RecordReader> {
  return new RecordReader(options);
}

/**
 * Reads the record. Calls may overlap. Missing or removed lines are undefined; a line that does not match its checksum rejects with Fault
 * `RECORD_DAMAGED`. Calls after `close` reject with Fault `READER_CLOSED`.
 */
export class RecordReader implements AsyncDisposable {
  readonly #folder: DataFolder;
  readonly #handles: ReadHandles;
  readonly #lines: LineFinder;
  /** The partitions of an hour, as they were listed last. */
  readonly #listedHours = new LRUCache<number, readonly Partition[]>({
    maxSize: MAX_LISTED_PARTITIONS,
    sizeCalculation: (partitions) => partitions.length,
  });

  /** `maxOpenFiles` stay open between calls. */
  constructor({ files, directory, maxOpenFiles = MAX_OPEN_FILES }: DataFolder & { maxOpenFiles?: number }) {
    this.#folder = { files, directory };
    this.#handles = new ReadHandles(files, maxOpenFiles);
    this.#lines = new LineFinder((partition, name) => this.#file(partition, name));
  }

  /** The partitions on the disk, ordered by hour and folder; `from` and `to` are inclusive hours since the epoch, default all. */
  async partitions(hours?: { from: number; to: number }): Promise<Partition[]> {
    return await walkPartitions(this.#folder.files, this.#folder.directory, hours);
  }

  /**
   * The partition that holds an event: hour, hash, line and `received_at` of the id must agree with the record. It is looked for among
   * `listed` first.
   */
  async partitionOfId(eventId: EventId, listed: readonly Partition[] = []): Promise<Partition | undefined> {
    const id = parseEventId(eventId);
    if (id === undefined) return undefined;
    const ofHour = listed.filter((partition) => partition.hour === id.hour);
    return (
      (await this.#findHolder(ofHour, id)) ??
      (await this.#findHolder(this.#listedHours.get(id.hour) ?? [], id)) ??
      // A writer may have added to the hour.
      (await this.#findHolder(await this.#listHour(id.hour), id))
    );
  }

  async #listHour(hour: number): Promise<readonly Partition[]> {
    const partitions = await this.partitions({ from: hour, to: hour });
    // Hours without partitions are not cached: ids from outside may name any hour.
    if (partitions.length > 0) this.#listedHours.set(hour, partitions);
    else this.#listedHours.delete(hour);
    return partitions;
  }

  /** A forged id may match a partition in all but its time, and two partitions may have the same hash. */
  async #findHolder(
    partitions: readonly Partition[],
    { line, receivedAtMicros, partitionHash }: EventIdParts,
  ): Promise<Partition | undefined> {
    for (const partition of partitions) {
      if (partition.hash !== partitionHash) continue;
      if ((await this.#lines.find(partition, line))?.record.receivedAtMicros === receivedAtMicros) return partition;
    }
    return undefined;
  }

  /** Who sent a line; undefined if it is unknown. */
  async originOf(partition: Partition, line: number): Promise<SenderOrigin | undefined> {
    const record = (await this.#lines.find(partition, line))?.record;
    return record && originAt(record, line - record.line);
  }

  /** One line without its newline, checked against the checksum of its commit. */
  async readLine(partition: Partition, line: number): Promise<Buffer | undefined> {
    return await this.#lines.readLine(partition, line);
  }

  /** Exactly these bytes of `raw.ndjson` in one read, unchecked; placed in `into` if it is long enough. */
  async readAt(partition: Partition, offset: number, bytes: number, into?: Buffer): Promise<Buffer | undefined> {
    const content = await this.#file(partition, RAW_FILE).read(offset, bytes, into);
    return content.length === bytes ? content : undefined;
  }

  /**
   * Everything received after `afterMicros` (0: the whole record), in order of arrival, with bounded memory.
   * A damaged commit is reported as `RECORD_DAMAGED`, and still yielded if its lines can be separated. While a writer appends, the last
   * item may be incomplete: replay its timestamp again next time. `among`: the partitions that hold it, ordered by hour and folder, if the
   * caller knows them.
   */
  replay({ afterMicros, among, onDamage = () => undefined }: ReplayOptions): AsyncGenerator<ReplayedCommit> {
    const file = (partition: Partition, name: string): ReadableFile => this.#file(partition, name);
    return replayCommits({ ...this.#folder, file, afterMicros, among, onDamage });
  }

  /** Batch ids that start with `prefix`, one item for each commit record that holds one: a batch has the sum of their lines. */
  async *findBatches(prefix: string): AsyncGenerator<FoundBatch> {
    for (const partition of await this.partitions()) {
      for await (const commits of readCommits(this.#file(partition, COMMITS_FILE), { from: 0 })) {
        for (const { record } of commits) yield* batchesIn(partition, record, prefix);
      }
    }
  }

  /** Safe to call twice. */
  async close(): Promise<void> {
    await this.#handles.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #file({ folder }: Partition, name: string): ReadableFile {
    return this.#handles.file(join(this.#folder.directory, folder, name));
  }
}

function* batchesIn(partition: Partition, record: CommitRecord, prefix: string): Generator<FoundBatch> {
  for (const { batchId, lines } of record.batches) {
    if (batchId.startsWith(prefix)) yield { batchId, lines, partition, firstLine: record.line };
  }
}

interface RecentCommit {
  readonly folder: string;
  readonly record: CommitRecord;
  /** Result of `lineStarts`, once the bytes were read and checked. */
  starts: Uint32Array | undefined;
}

const MAX_RECENT = 64;

/** Finds lines by number. It caches the last commits, so that other lines of them need one read. */
class LineFinder {
  readonly #file: (partition: Partition, name: string) => ReadableFile;
  /** Least recently used first. */
  #recent: RecentCommit[] = [];

  constructor(file: (partition: Partition, name: string) => ReadableFile) {
    this.#file = file;
  }

  /** Returns the line without its newline, checked against the checksum of its commit. Rejects with Fault `RECORD_DAMAGED`. */
  async readLine(partition: Partition, line: number): Promise<Buffer | undefined> {
    const commit = await this.find(partition, line);
    if (commit === undefined) return undefined;
    const { record } = commit;
    if (!canBeRead(record)) throw commitDamaged(partition, record, 'would have more bytes than a commit can hold');
    const raw = this.#file(partition, RAW_FILE);
    if (commit.starts !== undefined) {
      const [start, length] = spanOf(commit.starts, line - record.line);
      const bytes = await raw.read(record.offset + start, length);
      return bytes.length === length ? bytes : undefined;
    }
    const bytes = await raw.read(record.offset, record.bytes);
    if (bytes.length === 0) return undefined;
    commit.starts = checkedStarts(partition, record, bytes);
    const [start, length] = spanOf(commit.starts, line - record.line);
    // A copy: a slice would retain the whole commit.
    return Buffer.from(bytes.subarray(start, start + length));
  }

  async find(partition: Partition, line: number): Promise<RecentCommit | undefined> {
    const holds = ({ folder, record }: RecentCommit): boolean =>
      folder === partition.folder && record.line <= line && line < record.line + record.lines;
    let commit = this.#recent.find(holds);
    if (commit === undefined) {
      const record = await findCommitOfLine(this.#file(partition, COMMITS_FILE), line);
      if (record === undefined) return undefined;
      // Without the fingerprints, which are large and not needed here.
      commit = { folder: partition.folder, record: { ...record, fingerprints: undefined }, starts: undefined };
    }
    this.#recent = [...this.#recent.filter((other) => other !== commit), commit].slice(-MAX_RECENT);
    return commit;
  }
}

function checkedStarts(partition: Partition, record: CommitRecord, bytes: Buffer): Uint32Array {
  if (bytes.length < record.bytes) throw commitDamaged(partition, record, 'are cut off');
  const starts = checksumOf(bytes) === record.crc32c ? lineStarts(bytes, record.lines) : undefined;
  if (starts === undefined) throw commitDamaged(partition, record, 'do not match their checksum');
  return starts;
}

/** Start and length of a line without its newline. */
function spanOf(starts: Uint32Array, index: number): [start: number, length: number] {
  const start = starts[index] ?? 0;
  return [start, (starts[index + 1] ?? 0) - start - 1];
}
