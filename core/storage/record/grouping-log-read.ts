import { join } from 'node:path';
import { Fault } from '../../event/fault.js';
import type { StoreFiles } from '../files/store-files.js';
import { type GroupingLine, MAX_GROUPING_BYTES, readGroupingLine } from './grouping-log-line.js';
import { createReadHandles } from './read-handles.js';
import { readLines } from './read-lines.js';

/** Name of the log of groupings in the data folder. */
export const GROUPINGS_FILE = 'groupings.ndjson';

const CHUNK_BYTES = 256 * 1024;

/** What the log of groupings holds. */
export interface ReadGroupings {
  /** In the order in which they were written. */
  readonly lines: readonly GroupingLine[];
  /** Where the last whole line ends: what is behind it is torn. */
  readonly end: number;
}

/**
 * Reads the whole log, beside a writer or without one; no lines where there is none. A torn last line is passed over; a whole line that is none is given
 * to `onFault` as Fault `RECORD_DAMAGED` and passed over too. Rejects with `GROUPING_INVALID` for a version that this program does not know.
 */
export async function readGroupingLog(options: {
  directory: string;
  files: StoreFiles;
  onFault?: ((fault: Fault) => void) | undefined;
}): Promise<ReadGroupings> {
  const path = join(options.directory, GROUPINGS_FILE);
  const handles = createReadHandles(options.files, 1);
  const lines: GroupingLine[] = [];
  let end = 0;
  try {
    const range = { from: 0, chunkBytes: CHUNK_BYTES, maxLineBytes: MAX_GROUPING_BYTES };
    for await (const found of readLines(handles.file(path), range)) {
      for (const { start, bytes } of found) {
        const line = readGroupingLine(bytes.toString('utf8'));
        if (line === undefined) options.onFault?.(noGrouping(path, start));
        else lines.push(line);
        end = start + bytes.length + 1;
      }
    }
  } finally {
    await handles.close();
  }
  return { lines, end };
}

function noGrouping(path: string, offset: number): Fault {
  return new Fault(
    'RECORD_DAMAGED',
    `The line at byte ${offset} of ${path} says nothing about grouping and is left out. Restore the file from a copy if there is one.`,
  );
}
