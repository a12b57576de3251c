import { join } from 'node:path';
import type { Fault } from '../../../event/fault.js';
import type { EventId } from '../../../event/ids.js';
import type { DataFolder, ReadableFile, StoreFiles } from '../../files/store-files.js';
import { type FoundBatch, findMarks } from '../commits/find-marks.js';
import type { ReplayedCommit } from '../commits/replayed-commit.js';
import { createReadHandles } from '../io/file-handles.js';
import { readEventId } from '../partitions/event-id.js';
import { COMMITS_FILE, type Partition, RAW_FILE } from '../partitions/partition-path.js';
import { walkPartitions } from '../partitions/walk-partitions.js';
import { LineFinder } from './line-finder.js';
import { replayRecord } from './replay.js';

/** How a record is read. */
export interface RecordReaderOptions extends DataFolder {
  /** Most files that stay open between calls, default 64. */
  maxOpenFiles?: number;
}

/**
 * The read side of the record, beside a writer in this or another process, or without one. Calls may overlap.
 * What is not there (any more) answers undefined; a line whose bytes do not match its checksum rejects with Fault `RECORD_DAMAGED`.
 * `close` is safe twice; calls after it reject with Fault `READER_CLOSED`.
 */
export interface RecordReader {
  /** All partitions, walked anew, ordered by hour and folder. */
  partitions(): Promise<readonly Partition[]>;
  /** The partition that holds this event: hour, hash, line and `received_at` of the id must all agree with the record. */
  partitionOfId(eventId: EventId): Promise<Partition | undefined>;
  /** One line without its newline, found through the commit records and checked against their checksum. */
  readLine(partition: Partition, line: number): Promise<Buffer | undefined>;
  /** Exactly these bytes of `raw.ndjson`, one read, unchecked; in `into`, if it is given and long enough. */
  readAt(partition: Partition, offset: number, bytes: number, into?: Buffer): Promise<Buffer | undefined>;
  /**
   * Everything received after an instant, in order of arrival, with bounded memory. `afterMicros` 0 is the whole record.
   * A commit whose bytes do not match is reported and given as it is where its lines can still be told apart. Beside a writer the last item
   * may hold a commit that is still being written: take the last instant again next time.
   */
  replay(options: {
    afterMicros: number;
    /** Called with Fault `RECORD_DAMAGED` for each commit that is not as it was written. */
    onDamage?: (fault: Fault) => void;
  }): AsyncIterable<ReplayedCommit>;
  /** Marks that start with `prefix`, one item for each commit record that carries one: the lines of a mark are the sum. */
  findMarks(prefix: string): AsyncIterable<FoundBatch>;
  close(): Promise<void>;
}

const DEFAULT_MAX_OPEN_FILES = 64;

/** Opens the read side; reads nothing before it is asked. */
export async function openRecordReader(options: RecordReaderOptions): Promise<RecordReader> {
  const { files, directory } = options;
  const handles = createReadHandles(files, options.maxOpenFiles ?? DEFAULT_MAX_OPEN_FILES);
  const file = ({ folder }: Partition, name: string): ReadableFile => handles.file(join(directory, folder, name));
  const catalogue = new PartitionCatalogue(files, directory);
  const lines = new LineFinder(file);

  /** A forged id may agree with a partition in all but its time, and two partitions in their hash. */
  const firstThatHolds = async (
    partitions: readonly Partition[],
    { line, receivedAtMicros }: { line: number; receivedAtMicros: number },
  ): Promise<Partition | undefined> => {
    for (const partition of partitions) {
      if ((await lines.commitOf(partition, line))?.receivedAtMicros === receivedAtMicros) return partition;
    }
    return undefined;
  };

  return {
    partitions: () => catalogue.walk(),
    async partitionOfId(eventId) {
      const parts = readEventId(eventId);
      if (parts === undefined) return undefined;
      const { hour, partitionHash } = parts;
      return (
        (await firstThatHolds(catalogue.known(hour, partitionHash), parts)) ??
        (await firstThatHolds(await catalogue.lookAgain(hour, partitionHash), parts))
      );
    },
    readLine: (partition, line) => lines.read(partition, line),
    async readAt(partition, offset, bytes, into) {
      const found = await file(partition, RAW_FILE).read(offset, bytes, into);
      return found.length === bytes ? found : undefined;
    },
    replay: ({ afterMicros, onDamage = () => undefined }) =>
      replayRecord({ files, directory, file, afterMicros, onDamage }),
    async *findMarks(prefix) {
      yield* findMarks(await catalogue.walk(), (partition) => file(partition, COMMITS_FILE), prefix);
    },
    close: () => handles.close(),
  };
}

/** Which partitions there are, as far as they were looked for. Walks no folder before it is asked. */
class PartitionCatalogue {
  readonly #files: StoreFiles;
  readonly #directory: string;
  readonly #byHour = new Map<number, Partition[]>();

  constructor(files: StoreFiles, directory: string) {
    this.#files = files;
    this.#directory = directory;
  }

  /** All partitions, walked anew, ordered by hour and folder. */
  async walk(): Promise<readonly Partition[]> {
    const all = await walkPartitions(this.#files, this.#directory);
    this.#byHour.clear();
    for (const partition of all) {
      const sameHour = this.#byHour.get(partition.hour);
      if (sameHour === undefined) this.#byHour.set(partition.hour, [partition]);
      else sameHour.push(partition);
    }
    return all;
  }

  /** Those of one hour and hash that were seen before: more than one only where hashes collide. */
  known(hour: number, hash: number): readonly Partition[] {
    return (this.#byHour.get(hour) ?? []).filter((partition) => partition.hash === hash);
  }

  /** The same after walking that hour anew, because a writer may have added to it. */
  async lookAgain(hour: number, hash: number): Promise<readonly Partition[]> {
    const found = await walkPartitions(this.#files, this.#directory, { from: hour, to: hour });
    // Hours without partitions are not remembered: ids from outside may name any.
    if (found.length > 0) this.#byHour.set(hour, found);
    else this.#byHour.delete(hour);
    return this.known(hour, hash);
  }
}
