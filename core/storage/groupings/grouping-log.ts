import { join } from 'node:path';
import { Fault } from '../../event/fault.js';
import type { DataFolder } from '../files/store-files.js';
import { type ReadLog, readLog } from '../record/io/read-log.js';
import { openLineLog } from '../record/line-log.js';
import type { ArrivalClock } from '../record/partitions/arrival-clock.js';
import { encodeGroupingLine, type GroupingLine, MAX_GROUPING_BYTES, readGroupingLine } from './grouping-log-line.js';

/** How the log of groupings is opened for writing. */
export interface GroupingLogOptions extends DataFolder {
  /** The clock of the folder; held above the last line. */
  clock: Pick<ArrivalClock, 'holdAbove'>;
  /** Called with Fault `RECORD_DAMAGED` for each line that is none, and with `STORE_UNAVAILABLE` when a refused line cannot be cut yet. */
  onFault?: ((fault: Fault) => void) | undefined;
}

/** The append side of `groupings.ndjson`, under the writer lock; always synced, whatever the durability of events. */
export interface GroupingLog {
  /** In their order; grows with `append`. */
  readonly lines: readonly GroupingLine[];
  /** Resolves when the line is on the disk; one call at a time. Faults: `STORE_UNAVAILABLE`, `RECORD_MOVED` (retryable, nothing was kept), `GROUPING_TOO_LARGE`. */
  append(line: GroupingLine): Promise<void>;
  /** Safe twice. */
  close(): Promise<void>;
}

/** Opens the log; a torn last line is copied to `salvage/` and cut. Rejects with `GROUPING_INVALID` for a version that this program does not know. */
export async function openGroupingLog(options: GroupingLogOptions): Promise<GroupingLog> {
  const found = await readGroupingLog(options);
  const log = await openLineLog({ ...options, name: GROUPINGS_FILE, end: found.end, what: 'regrouping' });
  for (const { atMicros } of found.lines) options.clock.holdAbove(atMicros);
  const lines = [...found.lines];
  return {
    lines,
    async append(line) {
      const bytes = Buffer.from(encodeGroupingLine(line), 'utf8');
      if (bytes.length - 1 > MAX_GROUPING_BYTES) throw tooLarge(bytes.length - 1);
      await log.append(bytes);
      lines.push(line);
    },
    close: () => log.close(),
  };
}

function tooLarge(bytes: number): Fault {
  return new Fault(
    'GROUPING_TOO_LARGE',
    `A line of groupings.ndjson may have ${MAX_GROUPING_BYTES} bytes, and this one, which names the issues with actions, has ${bytes}.`,
  );
}

/** Name of the log of groupings in the data folder. */
export const GROUPINGS_FILE = 'groupings.ndjson';

/** Reads the whole log of groupings as `readLog` does. Rejects with `GROUPING_INVALID` for a version that this program does not know. */
export function readGroupingLog(
  options: DataFolder & { onFault?: ((fault: Fault) => void) | undefined },
): Promise<ReadLog<GroupingLine>> {
  return readLog({
    path: join(options.directory, GROUPINGS_FILE),
    files: options.files,
    maxLineBytes: MAX_GROUPING_BYTES,
    readLine: readGroupingLine,
    complaint: 'says nothing about grouping',
    onFault: options.onFault,
  });
}
