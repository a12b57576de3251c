import { join } from 'node:path';
import type { StoreFiles } from '../files/store-files.js';
import { GROUPINGS_FILE, readGroupingLog } from './grouping-log.js';
import type { GroupingLine } from './grouping-log-line.js';
import { type GroupingPlan, groupingPlan } from './grouping-log-plan.js';

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
