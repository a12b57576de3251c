import type { EventId } from '../../../../core/event/ids.js';
import type { StoreFiles } from '../../../../core/storage/files/store-files.js';
import { createEventIds } from '../../../../core/storage/record/partitions/event-id.js';
import { withReader } from '../record/open-record.js';

/** A line of the record, with its event id and the names in its payload. */
export interface ScannedLine {
  readonly eventId: EventId;
  readonly receivedAtMicros: number;
  readonly folder: string;
  readonly line: number;
  readonly text: string;
  readonly message: string;
  readonly errorName: string;
  readonly service: string;
}

/** A record, read without an index. */
export interface RecordScan {
  /** In order of arrival. */
  readonly lines: readonly ScannedLine[];
  readonly damage: readonly string[];
}

/** Reads every committed line of a folder that was received at or after a timestamp. */
export async function scanRecord(directory: string, files: StoreFiles, fromMicros = 0): Promise<RecordScan> {
  const damage: string[] = [];
  const lines: ScannedLine[] = [];
  await withReader(
    directory,
    async (reader) => {
      const onDamage = (fault: Error): void => void damage.push(fault.message);
      for await (const { receivedAtMicros, events } of reader.replay({ afterMicros: 0, onDamage })) {
        if (receivedAtMicros < fromMicros) continue;
        for (const { partition, line, rawLine } of events) {
          const text = rawLine.toString('utf8');
          const { message, error_name: errorName, service } = JSON.parse(text);
          const eventId = createEventIds(partition, receivedAtMicros)(line);
          lines.push({ eventId, receivedAtMicros, folder: partition.folder, line, text, message, errorName, service });
        }
      }
    },
    files,
  );
  return { lines, damage };
}
