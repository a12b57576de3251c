import { join } from 'node:path';
import { Fault } from '../../event/fault.js';
import type { StoreFiles } from '../files/store-files.js';
import { RecordMoved, reasonOf, storeUnavailable } from './append-faults.js';
import { AppendFile } from './append-file.js';
import type { ArrivalClock } from './clock.js';
import { cutTornLine } from './cut-torn-line.js';
import { encodeGroupingLine, type GroupingLine, MAX_GROUPING_BYTES } from './grouping-log-line.js';
import { GROUPINGS_FILE, readGroupingLog } from './grouping-log-read.js';

/** How the log of groupings is opened for writing. */
export interface GroupingLogOptions {
  /** Absolute path of the data folder, which must exist. */
  directory: string;
  files: StoreFiles;
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
  const { files, directory, clock, onFault } = options;
  const found = await readGroupingLog(options);
  await cutTornLine(files, directory, GROUPINGS_FILE, found.end);
  for (const { atMicros } of found.lines) clock.holdAbove(atMicros);
  const lines = [...found.lines];
  const file = new AppendFile(files, join(directory, GROUPINGS_FILE), { goodBytes: found.end, durable: true });
  let isLeftover = false;
  /** Where this fails, the next append cuts before it writes. */
  const takeBack = async (): Promise<void> => {
    try {
      await file.revert();
      isLeftover = false;
    } catch (cause) {
      if (!isLeftover) onFault?.(leftover(file.path, cause));
      isLeftover = true;
    }
  };
  return {
    lines,
    async append(line) {
      const bytes = Buffer.from(encodeGroupingLine(line), 'utf8');
      if (bytes.length - 1 > MAX_GROUPING_BYTES) throw tooLarge(bytes.length - 1);
      try {
        await file.append(bytes);
        await file.sync();
        await file.check();
        await files.syncFolder(directory);
      } catch (error) {
        if (error instanceof RecordMoved) onFault?.(error);
        await takeBack();
        throw storeUnavailable(error);
      }
      isLeftover = false;
      file.accept();
      lines.push(line);
    },
    async close() {
      if (file.isDirty) await takeBack();
      await file.release();
    },
  };
}

function leftover(path: string, cause: unknown): Fault {
  return new Fault(
    'STORE_UNAVAILABLE',
    `A refused regrouping could not be cut from ${path} (${reasonOf(cause)}). A restart takes it as done.`,
    { cause, retryable: true },
  );
}

function tooLarge(bytes: number): Fault {
  return new Fault(
    'GROUPING_TOO_LARGE',
    `A line of groupings.ndjson may have ${MAX_GROUPING_BYTES} bytes, and this one, which names the issues with actions, has ${bytes}.`,
  );
}
