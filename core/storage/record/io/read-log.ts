import { join } from 'node:path';
import { Fault } from '../../../event/fault.js';
import type { DataFolder } from '../../files/store-files.js';
import { ReadHandles } from './file-handles.js';
import { readLines } from './read-lines.js';

const CHUNK_BYTES = 256 * 1024;

/** A log: a file of lines at the top of a folder. */
export interface LogFile<Line> {
  readonly name: string;
  /** Most bytes of a line, without its newline. */
  readonly maxLineBytes: number;
  /** Returns undefined for an invalid line. */
  readonly parseLine: (text: string) => Line | undefined;
  /** The noun for one line, for error sentences. */
  readonly what: string;
  /** The verb phrase for an invalid line: `is not an action`. */
  readonly complaint: string;
}

/** A folder with logs. */
export interface LogFolder extends DataFolder {
  /** Called with `RECORD_DAMAGED` for each invalid line, and as `LineLog` says. */
  readonly onFault?: ((fault: Fault) => void) | undefined;
}

/** The content of a log. */
interface ReadLog<Line> {
  /** In the order in which they were written. */
  readonly lines: readonly Line[];
  /** End of the last whole line; bytes after it are torn. */
  readonly end: number;
}

/** Reads a whole log, with or without a writer; a missing file is empty. Skips invalid lines and a torn last one. Rejects with what `parseLine` throws. */
export async function readLog<Line>(
  { directory, files, onFault }: LogFolder,
  { name, maxLineBytes, parseLine, complaint }: LogFile<Line>,
): Promise<ReadLog<Line>> {
  const path = join(directory, name);
  await using handles = new ReadHandles(files, 1);
  const lines: Line[] = [];
  let end = 0;
  for await (const batch of readLines(handles.file(path), { from: 0, chunkBytes: CHUNK_BYTES, maxLineBytes })) {
    for (const { start, bytes } of batch) {
      const line = parseLine(bytes.toString('utf8'));
      if (line === undefined) onFault?.(damaged(path, start, complaint));
      else lines.push(line);
      end = start + bytes.length + 1;
    }
  }
  return { lines, end };
}

/** Returns a function that reads a log that another process writes, again if it has changed; `onFault` gets invalid lines of the first read. */
export function followLog<Line, Folded>(
  folder: LogFolder,
  log: LogFile<Line>,
  fold: (lines: readonly Line[]) => Folded,
): () => Promise<Folded> {
  const { directory, files } = folder;
  let last: { readonly version: string; readonly folded: Folded } | undefined;
  return async () => {
    const stat = await files.stat(join(directory, log.name));
    const version = `${stat?.identity} ${stat?.bytes}`;
    if (last?.version === version) return last.folded;
    const { lines } = await readLog(last === undefined ? folder : { directory, files }, log);
    last = { version, folded: fold(lines) };
    return last.folded;
  };
}

function damaged(path: string, offset: number, complaint: string): Fault {
  return new Fault(
    'RECORD_DAMAGED',
    `The line at byte ${offset} of ${path} ${complaint} and is left out. Restore the file from a backup.`,
  );
}
