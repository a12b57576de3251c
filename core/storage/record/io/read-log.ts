import { Fault } from '../../../event/fault.js';
import type { StoreFiles } from '../../files/store-files.js';
import { createReadHandles } from './file-handles.js';
import { readLines } from './read-lines.js';

const CHUNK_BYTES = 256 * 1024;

/** How a log that people's decisions are appended to is read. */
export interface ReadLogOptions<Line> {
  readonly path: string;
  readonly files: StoreFiles;
  readonly maxLineBytes: number;
  /** Undefined for a line that is none of the log's. */
  readonly readLine: (text: string) => Line | undefined;
  /** What is wrong with such a line, behind its place: `is no action`. */
  readonly complaint: string;
  readonly onFault?: ((fault: Fault) => void) | undefined;
}

/** What a log holds. */
export interface ReadLog<Line> {
  /** In the order in which they were written. */
  readonly lines: readonly Line[];
  /** Where the last whole line ends: what is behind it is torn. */
  readonly end: number;
}

/**
 * Reads a whole log, beside a writer or without one; no lines where there is none. A torn last line is passed over; a whole line that is none of the
 * log's is given to `onFault` as Fault `RECORD_DAMAGED` and passed over too. Rejects as `readLine` throws.
 */
export async function readLog<Line>({ path, files, ...options }: ReadLogOptions<Line>): Promise<ReadLog<Line>> {
  const handles = createReadHandles(files, 1);
  const lines: Line[] = [];
  let end = 0;
  try {
    const range = { from: 0, chunkBytes: CHUNK_BYTES, maxLineBytes: options.maxLineBytes };
    for await (const found of readLines(handles.file(path), range)) {
      for (const { start, bytes } of found) {
        const line = options.readLine(bytes.toString('utf8'));
        if (line === undefined) options.onFault?.(damaged(path, start, options.complaint));
        else lines.push(line);
        end = start + bytes.length + 1;
      }
    }
  } finally {
    await handles.close();
  }
  return { lines, end };
}

function damaged(path: string, offset: number, complaint: string): Fault {
  return new Fault(
    'RECORD_DAMAGED',
    `The line at byte ${offset} of ${path} ${complaint} and is left out. Restore the file from a copy if there is one.`,
  );
}
