import { join } from 'node:path';
import { Fault } from '../../event/fault.js';
import type { DataFolder, StoreFiles } from '../files/store-files.js';
import { type ReadLog, readLog } from '../record/io/read-log.js';
import { openLineLog } from '../record/line-log.js';
import type { ArrivalClock } from '../record/partitions/arrival-clock.js';
import { encodeGroupingLine, type GroupingLine, MAX_GROUPING_BYTES, parseGroupingLine } from './grouping-log-line.js';
import { type GroupingPlan, groupingPlan } from './grouping-log-plan.js';

interface GroupingLogOptions extends DataFolder {
  /** Set beyond the last line. */
  clock: Pick<ArrivalClock, 'holdAbove'>;
  /** Called with `RECORD_DAMAGED` for invalid lines, and `STORE_UNAVAILABLE` if a rejected line cannot be cut off yet. */
  onFault?: ((fault: Fault) => void) | undefined;
}

/** The writing side of `groupings.ndjson`, under the writer lock; always synced. */
export interface GroupingLog {
  readonly lines: readonly GroupingLine[];
  /**
   * Calls must not overlap. Faults: `GROUPING_TOO_LARGE`, and, with nothing stored, `STORE_UNAVAILABLE`,
   * `RECORD_MOVED`.
   */
  append(line: GroupingLine): Promise<void>;
  close(): Promise<void>;
}

/** Opens the log; a torn last line is moved to `salvage/`. Rejects with `GROUPING_INVALID` for a newer version of the rules. */
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

/** In the data folder. */
export const GROUPINGS_FILE = 'groupings.ndjson';

/** Reads the log as `readLog` does. Rejects with `GROUPING_INVALID` for a newer version of the rules. */
export function readGroupingLog(
  options: DataFolder & { onFault?: ((fault: Fault) => void) | undefined },
): Promise<ReadLog<GroupingLine>> {
  return readLog({
    path: join(options.directory, GROUPINGS_FILE),
    files: options.files,
    maxLineBytes: MAX_GROUPING_BYTES,
    parseLine: parseGroupingLine,
    complaint: 'is not a grouping',
    onFault: options.onFault,
  });
}

/** The groupings of a folder that another process writes. */
export interface FollowingGroupings {
  /** As of the last read. */
  readonly lines: readonly GroupingLine[];
  readonly plan: GroupingPlan;
  /** Reads the log again if it has changed. Rejects as `readGroupingLog`. */
  refresh(): Promise<GroupingPlan>;
}

/** Opens the log of groupings for reading. `onFault` gets invalid lines of the first read only. */
export async function openFollowingGroupings(options: {
  directory: string;
  files: StoreFiles;
  onFault?: ((fault: Error) => void) | undefined;
}): Promise<FollowingGroupings> {
  const { directory, files, onFault } = options;
  const sizeOf = async (): Promise<number> => (await files.stat(join(directory, GROUPINGS_FILE)))?.bytes ?? 0;
  let bytes = await sizeOf();
  let { lines } = await readGroupingLog({ directory, files, onFault });
  let plan = groupingPlan(lines);
  return {
    get lines() {
      return lines;
    },
    get plan() {
      return plan;
    },
    async refresh() {
      const bytesNow = await sizeOf();
      if (bytesNow === bytes) return plan;
      lines = (await readGroupingLog({ directory, files })).lines;
      plan = groupingPlan(lines);
      bytes = bytesNow;
      return plan;
    },
  };
}
