import { resolve } from 'node:path';
import { nodeFiles } from '../files/node-files.js';
import { requireFolder } from '../files/require-folder.js';
import type { ReadableFile, StoreFile, StoreFiles } from '../files/store-files.js';
import { hasCode } from '../files/system-error.js';
import { parseDeadLetter, type RejectedRecord } from './dead-letter.js';
import { DAY_MS, listDeadLetterFiles } from './list-dead-letter-files.js';

const NEWLINE = 0x0a;
const CHUNK_BYTES = 1024 * 1024;

/** Which dead letters to read. */
export interface ReadRejectedOptions {
  /** The data folder; it must exist. */
  directory: string;
  files?: StoreFiles;
  /** Only what was rejected at this instant or later, milliseconds since the epoch; default all. */
  notBeforeMs?: number | undefined;
}

/** One line: a record with its bytes as they stand in the file, or one that is none. */
export type RejectedLine =
  | { readonly kind: 'record'; readonly line: Buffer; readonly record: RejectedRecord }
  | { readonly kind: 'damaged' };

/** Far above the longest record that is written. */
const MAX_LINE_BYTES = 1024 * 1024;

/** Reads the dead letters of a data folder, newest first, also beside a running collector; writes nothing. Fault `FOLDER_NOT_FOUND`. */
export async function* readRejected(options: ReadRejectedOptions): AsyncGenerator<RejectedLine> {
  const { files = nodeFiles, notBeforeMs = Number.NEGATIVE_INFINITY } = options;
  const directory = resolve(options.directory);
  await requireFolder(files, directory);
  const shelved = await listDeadLetterFiles(files, directory);
  for (const { path, dayMs } of shelved.reverse()) {
    if (dayMs + DAY_MS <= notBeforeMs) continue;
    for await (const line of readLines(files, path)) {
      const record = line && parseDeadLetter(line);
      if (line === undefined || record === undefined) yield { kind: 'damaged' };
      else if (Date.parse(record.rejectedAt) >= notBeforeMs) yield { kind: 'record', line, record };
    }
  }
}

async function* readLines(files: StoreFiles, path: string): AsyncGenerator<Buffer | undefined> {
  const file = await openIfExists(files, path);
  if (file === undefined) return;
  try {
    yield* readLinesBackwards(file, MAX_LINE_BYTES);
  } finally {
    await file.close();
  }
}

/** The collector beside us removes files that are over its bounds. */
async function openIfExists(files: StoreFiles, path: string): Promise<StoreFile | undefined> {
  try {
    return await files.open(path, 'read');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/**
 * The whole lines of a file from the last to the first, without their newlines; what follows the last newline is not given. A line over the bound
 * is given as undefined and not kept.
 */
async function* readLinesBackwards(file: ReadableFile, maxLineBytes: number): AsyncGenerator<Buffer | undefined> {
  let hasEnd = false;
  /** What was read of the line at which we are: its last parts. */
  let parts: Buffer[] = [];
  let partBytes = 0;
  const finish = (start: Buffer): Buffer | undefined =>
    partBytes + start.length > maxLineBytes ? undefined : Buffer.concat([start, ...parts]);

  for (let position = await file.size(); position > 0; ) {
    const from = Math.max(0, position - CHUNK_BYTES);
    const chunk = await file.read(from, position - from);
    let end = chunk.length;
    while (end > 0) {
      const newline = chunk.lastIndexOf(NEWLINE, end - 1);
      if (newline < 0) break;
      if (hasEnd) yield finish(chunk.subarray(newline + 1, end));
      hasEnd = true;
      parts = [];
      partBytes = 0;
      end = newline;
    }
    partBytes += end;
    parts = partBytes > maxLineBytes ? [] : [chunk.subarray(0, end), ...parts];
    position = from;
  }
  if (hasEnd) yield finish(Buffer.alloc(0));
}
