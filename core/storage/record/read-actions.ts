import { join } from 'node:path';
import type { Fault } from '../../event/fault.js';
import type { DataFolder } from '../files/store-files.js';
import { type ActionRecord, MAX_ACTION_BYTES, readActionRecord } from './action-record.js';
import { readLog } from './read-log.js';

/** Name of the action log in the data folder. */
export const ACTIONS_FILE = 'actions.ndjson';

/** What the action log holds. */
export interface ReadActions {
  /** In the order in which they were taken. */
  readonly actions: readonly ActionRecord[];
  /** Where the last whole line ends: what is behind it is torn. */
  readonly end: number;
}

/** Reads all actions of a folder as `readLog` does. */
export async function readActions(options: DataFolder & { onFault?: (fault: Fault) => void }): Promise<ReadActions> {
  const { lines, end } = await readLog({
    path: join(options.directory, ACTIONS_FILE),
    files: options.files,
    maxLineBytes: MAX_ACTION_BYTES,
    readLine: readActionRecord,
    complaint: 'is no action',
    onFault: options.onFault,
  });
  return { actions: lines, end };
}
