import { join } from 'node:path';
import type { Fault } from '../../event/fault.js';
import type { DataFolder } from '../files/store-files.js';
import { type GroupingLine, MAX_GROUPING_BYTES, readGroupingLine } from './grouping-log-line.js';
import { type ReadLog, readLog } from './read-log.js';

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
