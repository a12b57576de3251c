import { join } from 'node:path';
import type { Fault } from '../../../event/fault.js';
import type { EventId } from '../../../event/ids.js';
import type { DataFolder, ReadableFile, StoreFiles } from '../../files/store-files.js';
import { type FoundBatch, findBatches } from '../commits/find-batches.js';
import type { ReplayedCommit } from '../commits/replayed-commit.js';
import { createReadHandles } from '../io/file-handles.js';
import { parseEventId } from '../partitions/event-id.js';
import { COMMITS_FILE, type Partition, RAW_FILE } from '../partitions/partition-path.js';
import { walkPartitions } from '../partitions/walk-partitions.js';
import { LineFinder } from './line-finder.js';
import { replayCommits } from './replay.js';

interface RecordReaderOptions extends DataFolder {
  /** Most files that stay open between calls, default 64. */
  maxOpenFiles?: number;
}

/**
 * Reads the record, with or without a writer in this or another process. Calls may overlap.
 * Missing or removed lines are undefined; a line that does not match its checksum rejects with Fault `RECORD_DAMAGED`.
 * `close` is idempotent; later calls reject with Fault `READER_CLOSED`.
 */
export interface RecordReader {
  /** All partitions on the disk, ordered by hour and folder. */
  partitions(): Promise<readonly Partition[]>;
  /** The partition that holds an event: hour, hash, line and `received_at` of the id must agree with the record. */
  partitionOfId(eventId: EventId): Promise<Partition | undefined>;
  /** One line without its newline, checked against the checksum of its commit. */
  readLine(partition: Partition, line: number): Promise<Buffer | undefined>;
  /** Exactly these bytes of `raw.ndjson` in one read, unchecked; placed in `into` if it is long enough. */
  readAt(partition: Partition, offset: number, bytes: number, into?: Buffer): Promise<Buffer | undefined>;
  /**
   * Everything received after `afterMicros` (0: the whole record), in order of arrival, with bounded memory.
   * A damaged commit is reported, and still yielded if its lines can be separated. While a writer appends, the last item may be incomplete:
   * replay its timestamp again next time.
   */
  replay(options: {
    afterMicros: number;
    /** Called with Fault `RECORD_DAMAGED` for each damaged commit. */
    onDamage?: (fault: Fault) => void;
  }): AsyncIterable<ReplayedCommit>;
  /** Batch ids that start with `prefix`, one item for each commit record that holds one: a batch has the sum of their lines. */
  findBatches(prefix: string): AsyncIterable<FoundBatch>;
  close(): Promise<void>;
}

const DEFAULT_MAX_OPEN_FILES = 64;

/** Opens the record for reading; reads nothing before the first call. */
export async function openRecordReader(options: RecordReaderOptions): Promise<RecordReader> {
  const { files, directory } = options;
  const handles = createReadHandles(files, options.maxOpenFiles ?? DEFAULT_MAX_OPEN_FILES);
  const file = ({ folder }: Partition, name: string): ReadableFile => handles.file(join(directory, folder, name));
  const catalogue = new PartitionCatalogue(files, directory);
  const lines = new LineFinder(file);

  /** A forged id may match a partition in all but its time, and two partitions may have the same hash. */
  const findHolder = async (
    partitions: readonly Partition[],
    { line, receivedAtMicros }: { line: number; receivedAtMicros: number },
  ): Promise<Partition | undefined> => {
    for (const partition of partitions) {
      if ((await lines.commitOf(partition, line))?.receivedAtMicros === receivedAtMicros) return partition;
    }
    return undefined;
  };

  return {
    partitions: () => catalogue.refresh(),
    async partitionOfId(eventId) {
      const parts = parseEventId(eventId);
      if (parts === undefined) return undefined;
      const { hour, partitionHash } = parts;
      return (
        (await findHolder(catalogue.cached(hour, partitionHash), parts)) ??
        (await findHolder(await catalogue.refreshHour(hour, partitionHash), parts))
      );
    },
    readLine: (partition, line) => lines.readLine(partition, line),
    async readAt(partition, offset, bytes, into) {
      const found = await file(partition, RAW_FILE).read(offset, bytes, into);
      return found.length === bytes ? found : undefined;
    },
    replay: ({ afterMicros, onDamage = () => undefined }) =>
      replayCommits({ files, directory, file, afterMicros, onDamage }),
    async *findBatches(prefix) {
      yield* findBatches(await catalogue.refresh(), (partition) => file(partition, COMMITS_FILE), prefix);
    },
    close: () => handles.close(),
  };
}

/** Caches the known partitions by hour; starts empty. */
class PartitionCatalogue {
  readonly #files: StoreFiles;
  readonly #directory: string;
  readonly #byHour = new Map<number, Partition[]>();

  constructor(files: StoreFiles, directory: string) {
    this.#files = files;
    this.#directory = directory;
  }

  /** Lists all partitions again, ordered by hour and folder. */
  async refresh(): Promise<readonly Partition[]> {
    const all = await walkPartitions(this.#files, this.#directory);
    this.#byHour.clear();
    for (const partition of all) {
      const sameHour = this.#byHour.get(partition.hour);
      if (sameHour === undefined) this.#byHour.set(partition.hour, [partition]);
      else sameHour.push(partition);
    }
    return all;
  }

  /** The cached partitions of an hour and hash: more than one only if hashes collide. */
  cached(hour: number, hash: number): readonly Partition[] {
    return (this.#byHour.get(hour) ?? []).filter((partition) => partition.hash === hash);
  }

  /** The same after listing that hour again, because a writer may have added to it. */
  async refreshHour(hour: number, hash: number): Promise<readonly Partition[]> {
    const found = await walkPartitions(this.#files, this.#directory, { from: hour, to: hour });
    // Hours without partitions are not cached: ids from outside may name any hour.
    if (found.length > 0) this.#byHour.set(hour, found);
    else this.#byHour.delete(hour);
    return this.cached(hour, hash);
  }
}
