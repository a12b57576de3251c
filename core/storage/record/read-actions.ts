import { join } from 'node:path';
import { Fault } from '../../event/fault.js';
import type { StoreFiles } from '../files/store-files.js';
import { type ActionRecord, MAX_ACTION_BYTES, readActionRecord } from './action-record.js';
import { createReadHandles } from './read-handles.js';
import { readLines } from './read-lines.js';

/** Name of the action log in the data folder. */
export const ACTIONS_FILE = 'actions.ndjson';

const CHUNK_BYTES = 256 * 1024;

/** What the action log holds. */
export interface ReadActions {
  /** In the order in which they were taken. */
  readonly actions: readonly ActionRecord[];
  /** Where the last whole line ends: what is behind it is torn. */
  readonly end: number;
}

/**
 * Reads all actions of a folder, beside a writer or without one. A torn last line is passed over; a whole line that is no action is given to
 * `onFault` as Fault `RECORD_DAMAGED` and passed over too.
 */
export async function readActions(options: {
  directory: string;
  files: StoreFiles;
  onFault?: (fault: Fault) => void;
}): Promise<ReadActions> {
  const path = join(options.directory, ACTIONS_FILE);
  const handles = createReadHandles(options.files, 1);
  const actions: ActionRecord[] = [];
  let end = 0;
  try {
    const range = { from: 0, chunkBytes: CHUNK_BYTES, maxLineBytes: MAX_ACTION_BYTES };
    for await (const lines of readLines(handles.file(path), range)) {
      for (const { start, bytes } of lines) {
        const action = readActionRecord(bytes.toString('utf8'));
        if (action === undefined) options.onFault?.(noAction(path, start));
        else actions.push(action);
        end = start + bytes.length + 1;
      }
    }
  } finally {
    await handles.close();
  }
  return { actions, end };
}

function noAction(path: string, offset: number): Fault {
  return new Fault(
    'RECORD_DAMAGED',
    `The line at byte ${offset} of ${path} is no action and is left out. Restore the file from a copy if there is one.`,
  );
}
