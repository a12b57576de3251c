import { resolve } from 'node:path';
import type { RejectedRecord } from '../../../generated/reader-answers.js';
import { isJsonObject, jsonDepth, parseJson } from '../../event/json.js';
import { nodeFiles } from '../files/node-files.js';
import { requireFolder } from '../files/require-folder.js';
import type { ReadableFile, StoreFiles } from '../files/store-files.js';
import { ReadHandles } from '../record/io/file-handles.js';
import { MAX_PAYLOAD_LEVELS } from './dead-letter.js';
import { type DeadLetterFile, listDeadLetterFiles } from './dead-letter-files.js';

const NEWLINE = 0x0a;
const CHUNK_BYTES = 1024 * 1024;
/** Far longer than any record that is written. */
const MAX_LINE_BYTES = 1024 * 1024;

interface ReadDeadLettersOptions {
  /** The data folder; it must exist. */
  directory: string;
  files?: StoreFiles;
  /** Only lines before the one with this position. */
  before?: DeadLetterPosition | undefined;
}

/** Day, number of the file and offset of a line; files only grow and are removed whole, so it stays. */
export type DeadLetterPosition = readonly [dayMs: number, number: number, offset: number];

/** A line of a file; `record` is undefined if the line is damaged. */
export interface DeadLetterLine {
  readonly position: DeadLetterPosition;
  readonly bytes: number;
  readonly record: RejectedRecord | undefined;
}

/** Reads the dead letters of a data folder, newest first; works while a collector runs and writes nothing. Fault `FOLDER_NOT_FOUND`. */
export async function* readDeadLetters(options: ReadDeadLettersOptions): AsyncGenerator<DeadLetterLine> {
  const { files = nodeFiles, before } = options;
  const directory = resolve(options.directory);
  await requireFolder(files, directory);
  const { isRejectedRecord } = await import('../../../generated/answer-checks.js');
  const parse = (line: Buffer): RejectedRecord | undefined => {
    const value = parseJson(line.toString());
    if (!isJsonObject(value) || !isRejectedRecord(value) || jsonDepth(value) > MAX_PAYLOAD_LEVELS + 1) return undefined;
    const contents = [value.payload, value.text, value.base64].filter((content) => content !== undefined);
    return contents.length > 1 || Number.isNaN(Date.parse(value.rejected_at)) ? undefined : value;
  };
  const listed = await listDeadLetterFiles(files, directory);
  // A running collector may remove files that exceed its bounds: they read as empty.
  await using handles = new ReadHandles(files, 1);
  for (const file of listed.reverse()) {
    const end = endIn(file, before);
    if (end === 0) continue;
    for await (const { offset, bytes, line } of readLinesBackwards(handles.file(file.path), end)) {
      yield { position: [file.dayMs, file.number, offset], bytes, record: line && parse(line) };
    }
  }
}

/** The offset up to which a file has lines before a position. */
function endIn({ dayMs, number }: DeadLetterFile, before: DeadLetterPosition | undefined): number {
  if (before === undefined) return Number.POSITIVE_INFINITY;
  const order = dayMs - before[0] || number - before[1];
  return order === 0 ? before[2] : order < 0 ? Number.POSITIVE_INFINITY : 0;
}

interface FileLine {
  readonly offset: number;
  readonly bytes: number;
  /** Undefined if it is too long. */
  readonly line: Buffer | undefined;
}

/** Yields the complete lines of a file before an offset from last to first, without newlines. */
async function* readLinesBackwards(file: ReadableFile, before: number): AsyncGenerator<FileLine> {
  let hasEnd = false;
  /** The end of the current line, as far as it was read. */
  let chunks: Buffer[] = [];
  let bytes = 0;
  const finish = (offset: number, start: Buffer): FileLine => {
    bytes += start.length;
    return { offset, bytes, line: bytes > MAX_LINE_BYTES ? undefined : Buffer.concat([start, ...chunks]) };
  };

  for (let position = Math.min(before, await file.size()); position > 0; ) {
    const from = Math.max(0, position - CHUNK_BYTES);
    const chunk = await file.read(from, position - from);
    let end = chunk.length;
    while (end > 0) {
      const newline = chunk.lastIndexOf(NEWLINE, end - 1);
      if (newline < 0) break;
      if (hasEnd) yield finish(from + newline + 1, chunk.subarray(newline + 1, end));
      hasEnd = true;
      chunks = [];
      bytes = 0;
      end = newline;
    }
    bytes += end;
    chunks = bytes > MAX_LINE_BYTES ? [] : [chunk.subarray(0, end), ...chunks];
    position = from;
  }
  if (hasEnd) yield finish(0, Buffer.alloc(0));
}
