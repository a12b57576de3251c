import { Fault } from '../../event/fault.js';
import { followLog, type LogFile, type LogFolder } from '../record/io/read-log.js';
import { type LineLog, openLineLog } from '../record/line-log.js';
import type { ArrivalClock } from '../record/partitions/arrival-clock.js';
import { encodeGroupingLine, type GroupingLine, MAX_GROUPING_BYTES, parseGroupingLine } from './grouping-log-line.js';
import { type GroupingPlan, groupingPlan } from './grouping-log-plan.js';

/** In the data folder. Reading it rejects with `GROUPING_INVALID` for a newer version of the rules. */
export const GROUPING_LOG: LogFile<GroupingLine> = {
  name: 'groupings.ndjson',
  maxLineBytes: MAX_GROUPING_BYTES,
  parseLine: parseGroupingLine,
  what: 'regrouping',
  complaint: 'is not a grouping',
};

interface GroupingLogOptions extends LogFolder {
  readonly clock: Pick<ArrivalClock, 'holdAbove'>;
}

/** Opens the log for writing, under the writer lock; a torn last line is moved to `salvage/`. `clock` is set beyond the last line. */
export async function openGroupingLog({ clock, ...folder }: GroupingLogOptions): Promise<GroupingLog> {
  const { lines, log } = await openLineLog(folder, GROUPING_LOG);
  for (const { atMicros } of lines) clock.holdAbove(atMicros);
  return new GroupingLog(lines, log);
}

/** The writing side of `groupings.ndjson`. */
export class GroupingLog {
  readonly #lines: GroupingLine[];
  readonly #log: LineLog;

  constructor(lines: readonly GroupingLine[], log: LineLog) {
    this.#lines = [...lines];
    this.#log = log;
  }

  /** Oldest first. */
  get lines(): readonly GroupingLine[] {
    return this.#lines;
  }

  /** Faults: `GROUPING_TOO_LARGE`, and those of `LineLog.append`. */
  async append(line: GroupingLine): Promise<void> {
    const bytes = Buffer.from(encodeGroupingLine(line), 'utf8');
    if (bytes.length - 1 > MAX_GROUPING_BYTES) throw tooLarge(bytes.length - 1);
    await this.#log.append(bytes);
    this.#lines.push(line);
  }

  close(): Promise<void> {
    return this.#log.close();
  }
}

function tooLarge(bytes: number): Fault {
  return new Fault(
    'GROUPING_TOO_LARGE',
    `A line of groupings.ndjson may have ${MAX_GROUPING_BYTES} bytes, and this one, which names the issues with actions, has ${bytes}.`,
  );
}

/** The groupings of a folder, as of one moment. */
export interface FollowedGroupings {
  readonly lines: readonly GroupingLine[];
  readonly plan: GroupingPlan;
}

/** Returns a reader of the groupings of a folder that another process writes. `onFault` gets invalid lines of the first read only. */
export function followGroupings(folder: LogFolder): () => Promise<FollowedGroupings> {
  return followLog(folder, GROUPING_LOG, (lines) => ({ lines, plan: groupingPlan(lines) }));
}
