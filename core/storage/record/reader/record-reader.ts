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
  positionAfter,
} from '../commits/commit-record.js';
import { findCommitOfLine, findLastCommit, readCommits, searchCommits } from '../commits/commit-search.js';
import { createReadHandles } from '../io/file-handles.js';
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

/** As of `openRecordReader`. */
export type RecordReader = Awaited<ReturnType<typeof openRecordReader>>;

const MAX_OPEN_FILES = 64;
/** Partitions of the hours that were asked for last, about 200 bytes each. */
const MAX_LISTED_PARTITIONS = 50_000;

/**
 * Opens the record for reading, with or without a writer in this or another process; reads nothing before the first call. Calls may overlap.
 * Missing or removed lines are undefined; a line that does not match its checksum rejects with Fault `RECORD_DAMAGED`.
 * `close` is idempotent; later calls reject with Fault `READER_CLOSED`. `maxOpenFiles` stay open between calls.
 */
export async function openRecordReader({
  files,
  directory,
  maxOpenFiles = MAX_OPEN_FILES,
}: DataFolder & { maxOpenFiles?: number }) {
  const handles = createReadHandles(files, maxOpenFiles);
  const file = ({ folder }: Partition, name: string): ReadableFile => handles.file(join(directory, folder, name));
  const byHour = new LRUCache<number, readonly Partition[]>({
    maxSize: MAX_LISTED_PARTITIONS,
    sizeCalculation: (partitions) => partitions.length,
  });
  const lines = new LineFinder(file);

  /** A forged id may match a partition in all but its time, and two partitions may have the same hash. */
  const findHolder = async (
    partitions: readonly Partition[],
    { line, receivedAtMicros, partitionHash }: EventIdParts,
  ): Promise<Partition | undefined> => {
    for (const partition of partitions) {
      if (partition.hash !== partitionHash) continue;
      if ((await lines.find(partition, line))?.record.receivedAtMicros === receivedAtMicros) return partition;
    }
    return undefined;
  };

  return {
    /** The partitions on the disk, ordered by hour and folder; `from` and `to` are inclusive hours since the epoch, default all. */
    partitions: (hours?: { from: number; to: number }) => walkPartitions(files, directory, hours),
    /**
     * The partition that holds an event: hour, hash, line and `received_at` of the id must agree with the record. It is looked for among
     * `listed` first.
     */
    async partitionOfId(eventId: EventId, listed: readonly Partition[] = []): Promise<Partition | undefined> {
      const parts = parseEventId(eventId);
      if (parts === undefined) return undefined;
      const { hour } = parts;
      const ofHour = listed.filter((partition) => partition.hour === hour);
      const known = (await findHolder(ofHour, parts)) ?? (await findHolder(byHour.get(hour) ?? [], parts));
      if (known !== undefined) return known;
      // A writer may have added to the hour.
      const found = await walkPartitions(files, directory, { from: hour, to: hour });
      // Hours without partitions are not cached: ids from outside may name any hour.
      if (found.length > 0) byHour.set(hour, found);
      else byHour.delete(hour);
      return await findHolder(found, parts);
    },
    /** Where the last commit ends, the bytes of `raw.ndjson`, and `plainFrom` of the last commit: infinite if unknown. */
    async sizesOf(partition: Partition) {
      const record = (await findLastCommit(file(partition, COMMITS_FILE)))?.record;
      const rawBytes = await file(partition, RAW_FILE).size();
      return { end: positionAfter(record), rawBytes, plainFrom: record?.plainFrom ?? Number.POSITIVE_INFINITY };
    },
    /** Where the commits received before an instant end, and where the next one begins. */
    async placeAt(partition: Partition, micros: number) {
      const commits = file(partition, COMMITS_FILE);
      const { before, found } = await searchCommits(commits, ({ receivedAtMicros }) => receivedAtMicros < micros);
      return { after: positionAfter(before?.record), next: found?.record };
    },
    /** Who sent a line; undefined if it is unknown. */
    async originOf(partition: Partition, line: number): Promise<SenderOrigin | undefined> {
      const record = (await lines.find(partition, line))?.record;
      return record && originAt(record, line - record.line);
    },
    /** One line without its newline, checked against the checksum of its commit. */
    readLine: (partition: Partition, line: number) => lines.readLine(partition, line),
    /** Exactly these bytes of `raw.ndjson` in one read, unchecked; placed in `into` if it is long enough. */
    async readAt(partition: Partition, offset: number, bytes: number, into?: Buffer): Promise<Buffer | undefined> {
      const found = await file(partition, RAW_FILE).read(offset, bytes, into);
      return found.length === bytes ? found : undefined;
    },
    /**
     * Everything received after `afterMicros` (0: the whole record), in order of arrival, with bounded memory.
     * A damaged commit is reported as `RECORD_DAMAGED`, and still yielded if its lines can be separated. While a writer appends, the last
     * item may be incomplete: replay its timestamp again next time. `among`: the partitions that hold it, ordered by hour and folder, if the
     * caller knows them.
     */
    replay: ({ afterMicros, among, onDamage = () => undefined }: ReplayOptions) =>
      replayCommits({ files, directory, file, afterMicros, among, onDamage }),
    /** Batch ids that start with `prefix`, one item for each commit record that holds one: a batch has the sum of their lines. */
    async *findBatches(prefix: string): AsyncGenerator<FoundBatch> {
      for (const partition of await walkPartitions(files, directory)) {
        for await (const commits of readCommits(file(partition, COMMITS_FILE), { from: 0 })) {
          for (const { record } of commits) {
            for (const { batchId, lines } of record.batches) {
              if (batchId.startsWith(prefix)) yield { batchId, lines, partition, firstLine: record.line };
            }
          }
        }
      }
    },
    close: handles.close,
    [Symbol.asyncDispose]: handles.close,
  };
}

interface KnownCommit {
  readonly folder: string;
  readonly record: CommitRecord;
  /** Result of `lineStarts`, once the bytes were read and checked. */
  starts: Uint32Array | undefined;
}

const MAX_KNOWN = 64;

/** Finds lines by number. It caches the last commits, so that other lines of them need one read. */
class LineFinder {
  readonly #file: (partition: Partition, name: string) => ReadableFile;
  /** Least recently used first. */
  #known: KnownCommit[] = [];

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
      const found = await raw.read(record.offset + start, length);
      return found.length === length ? found : undefined;
    }
    const bytes = await raw.read(record.offset, record.bytes);
    if (bytes.length === 0) return undefined;
    commit.starts = checkedStarts(partition, record, bytes);
    const [start, length] = spanOf(commit.starts, line - record.line);
    // A copy: a slice would retain the whole commit.
    return Buffer.from(bytes.subarray(start, start + length));
  }

  async find(partition: Partition, line: number): Promise<KnownCommit | undefined> {
    const holds = ({ folder, record }: KnownCommit): boolean =>
      folder === partition.folder && record.line <= line && line < record.line + record.lines;
    let commit = this.#known.find(holds);
    if (commit === undefined) {
      const record = await findCommitOfLine(this.#file(partition, COMMITS_FILE), line);
      if (record === undefined) return undefined;
      // Without the fingerprints, which are large and not needed here.
      commit = { folder: partition.folder, record: { ...record, fingerprints: undefined }, starts: undefined };
    }
    this.#known = [...this.#known.filter((other) => other !== commit), commit].slice(-MAX_KNOWN);
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
