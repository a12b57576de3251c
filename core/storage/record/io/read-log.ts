import { Fault } from '../../../event/fault.js';
import type { StoreFiles } from '../../files/store-files.js';
import { createReadHandles } from './file-handles.js';
import { readLines } from './read-lines.js';

const CHUNK_BYTES = 256 * 1024;

interface ReadLogOptions<Line> {
  readonly path: string;
  readonly files: StoreFiles;
  readonly maxLineBytes: number;
  /** Returns undefined for an invalid line. */
  readonly parseLine: (text: string) => Line | undefined;
  /** The verb phrase for an invalid line: `is not an action`. */
  readonly complaint: string;
  readonly onFault?: ((fault: Fault) => void) | undefined;
}

/** The content of a log. */
export interface ReadLog<Line> {
  /** In the order in which they were written. */
  readonly lines: readonly Line[];
  /** End of the last whole line; bytes after it are torn. */
  readonly end: number;
}

/**
 * Reads a whole log, with or without a writer; a missing file is empty. Skips a torn last line, and reports an invalid line to `onFault`
 * as Fault `RECORD_DAMAGED`. Rejects with what `readLine` throws.
 */
export async function readLog<Line>({ path, files, ...options }: ReadLogOptions<Line>): Promise<ReadLog<Line>> {
  const handles = createReadHandles(files, 1);
  const lines: Line[] = [];
  let end = 0;
  try {
    const range = { from: 0, chunkBytes: CHUNK_BYTES, maxLineBytes: options.maxLineBytes };
    for await (const found of readLines(handles.file(path), range)) {
      for (const { start, bytes } of found) {
        const line = options.parseLine(bytes.toString('utf8'));
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
    `The line at byte ${offset} of ${path} ${complaint} and is left out. Restore the file from a backup.`,
  );
}
