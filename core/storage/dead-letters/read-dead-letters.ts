import { resolve } from 'node:path';
import { nodeFiles } from '../files/node-files.js';
import { requireFolder } from '../files/require-folder.js';
import type { ReadableFile, StoreFiles } from '../files/store-files.js';
import { createReadHandles } from '../record/io/file-handles.js';
import { type DeadLetter, parseDeadLetter } from './dead-letter.js';
import { DAY_MS, listDeadLetterFiles } from './list-dead-letter-files.js';

const NEWLINE = 0x0a;
const CHUNK_BYTES = 1024 * 1024;

interface ReadDeadLettersOptions {
  /** The data folder; it must exist. */
  directory: string;
  files?: StoreFiles;
  /** Oldest rejection to return, milliseconds since the epoch; default all. */
  notBeforeMs?: number | undefined;
}

/** A line of a file: a record with its bytes, or one that cannot be parsed. */
export type DeadLetterLine =
  | { readonly kind: 'record'; readonly line: Buffer; readonly record: DeadLetter }
  | { readonly kind: 'damaged' };

/** Far longer than any record that is written. */
const MAX_LINE_BYTES = 1024 * 1024;

/** Reads the dead letters of a data folder, newest first; works while a collector runs and writes nothing. Fault `FOLDER_NOT_FOUND`. */
export async function* readDeadLetters(options: ReadDeadLettersOptions): AsyncGenerator<DeadLetterLine> {
  const { files = nodeFiles, notBeforeMs = Number.NEGATIVE_INFINITY } = options;
  const directory = resolve(options.directory);
  await requireFolder(files, directory);
  const listed = await listDeadLetterFiles(files, directory);
  // A running collector may remove files that exceed its bounds: they read as empty.
  const handles = createReadHandles(files, 1);
  try {
    for (const { path, dayMs } of listed.reverse()) {
      if (dayMs + DAY_MS <= notBeforeMs) continue;
      for await (const line of readLinesBackwards(handles.file(path), MAX_LINE_BYTES)) {
        const record = line && parseDeadLetter(line);
        if (line === undefined || record === undefined) yield { kind: 'damaged' };
        else if (Date.parse(record.rejectedAt) >= notBeforeMs) yield { kind: 'record', line, record };
      }
    }
  } finally {
    await handles.close();
  }
}

/**
 * Yields the complete lines of a file from last to first, without newlines; undefined for a line longer than the bound.
 */
async function* readLinesBackwards(file: ReadableFile, maxLineBytes: number): AsyncGenerator<Buffer | undefined> {
  let hasEnd = false;
  /** The end of the current line, as far as it was read. */
  let chunks: Buffer[] = [];
  let lineBytes = 0;
  const finish = (start: Buffer): Buffer | undefined =>
    lineBytes + start.length > maxLineBytes ? undefined : Buffer.concat([start, ...chunks]);

  for (let position = await file.size(); position > 0; ) {
    const from = Math.max(0, position - CHUNK_BYTES);
    const chunk = await file.read(from, position - from);
    let end = chunk.length;
    while (end > 0) {
      const newline = chunk.lastIndexOf(NEWLINE, end - 1);
      if (newline < 0) break;
      if (hasEnd) yield finish(chunk.subarray(newline + 1, end));
      hasEnd = true;
      chunks = [];
      lineBytes = 0;
      end = newline;
    }
    lineBytes += end;
    chunks = lineBytes > maxLineBytes ? [] : [chunk.subarray(0, end), ...chunks];
    position = from;
  }
  if (hasEnd) yield finish(Buffer.alloc(0));
}
