import type { Fault } from '../../../../core/event/fault.js';
import type { StoreFiles } from '../../../../core/storage/files/store-files.js';
import type { CommittedEvent } from '../../../../core/storage/record/commits/committed-event.js';
import { ArrivalClock } from '../../../../core/storage/record/partitions/arrival-clock.js';
import { openRecordReader, type RecordReader } from '../../../../core/storage/record/reader/record-reader.js';
import { type RecoveredRecord, recoverRecord } from '../../../../core/storage/record/recover-record.js';
import {
  openRecordWriter,
  type RecordWriter,
  type RecordWriterOptions,
} from '../../../../core/storage/record/writer/record-writer.js';
import { unsyncedFiles } from '../../../helpers/unsynced-files.js';
import { TEN_O_CLOCK_MS } from '../ten-o-clock.js';

export interface OpenedRecord {
  readonly writer: RecordWriter;
  readonly recovered: RecoveredRecord;
  /** The events passed to `onCommitted`, commit by commit. */
  readonly commits: (readonly CommittedEvent[])[];
  readonly faults: Fault[];
}

/** Recovers a folder and opens it for appending, as the store does at its start. */
export async function openRecord(
  directory: string,
  options: Partial<RecordWriterOptions> & { files?: StoreFiles; nowMs?: () => number; afterMicros?: number } = {},
): Promise<OpenedRecord> {
  const { files = unsyncedFiles, nowMs = () => TEN_O_CLOCK_MS, afterMicros = 0, ...rest } = options;
  const commits: (readonly CommittedEvent[])[] = [];
  const faults: Fault[] = [];
  // Adopted lines of the last commit are not damage.
  const onFault = (fault: Fault): void => void (fault.code === 'LINES_ADOPTED' || faults.push(fault));
  const recovered = await recoverRecord({ directory, files, afterMicros, onFault });
  const clock = new ArrivalClock({ nowMs, lastMicros: recovered.lastReceivedAtMicros });
  const onCommitted = (events: readonly CommittedEvent[]): void => void commits.push(events);
  const writer = await openRecordWriter({ directory, files, clock, onCommitted, onFault, ...rest });
  return { writer, recovered, commits, faults };
}

/** Runs `use` over a reader and closes it. */
export async function withReader<T>(
  directory: string,
  use: (reader: RecordReader) => Promise<T>,
  files: StoreFiles = unsyncedFiles,
): Promise<T> {
  const reader = await openRecordReader({ directory, files });
  try {
    return await use(reader);
  } finally {
    await reader.close();
  }
}

/** A line of the replayed record, shortened. */
export interface SeenLine {
  readonly receivedAtMicros: number;
  readonly folder: string;
  readonly line: number;
  readonly offset: number;
  readonly bytes: number;
  readonly text: string;
}

/** The whole record in order of arrival; throws on damage. */
export async function replayAll(
  directory: string,
  afterMicros = 0,
  files: StoreFiles = unsyncedFiles,
): Promise<SeenLine[]> {
  return await withReader(
    directory,
    async (reader) => {
      const seen: SeenLine[] = [];
      const onDamage = (fault: Fault): void => {
        throw fault;
      };
      for await (const { receivedAtMicros, events } of reader.replay({ afterMicros, onDamage })) {
        for (const { partition, line, offset, bytes, rawLine } of events) {
          seen.push({
            receivedAtMicros,
            folder: partition.folder,
            line,
            offset,
            bytes,
            text: rawLine.toString('utf8'),
          });
        }
      }
      return seen;
    },
    files,
  );
}

/** Committed events in the form of `replayAll`. */
export function seenOf(events: Iterable<CommittedEvent>): SeenLine[] {
  return [...events].map(({ event, partition, line, offset, bytes, receivedAtMicros }) => ({
    receivedAtMicros,
    folder: partition.folder,
    line,
    offset,
    bytes,
    text: JSON.stringify(event.payload),
  }));
}
