import type { Readable } from 'node:stream';
import { IngestMemory } from '../component/ingest-memory.js';
import { LineSplitter } from '../receivers/intake/line-splitter.js';

/** One line of an imported file. */
export interface ImportedLine {
  /** Zero-based number in the file. */
  readonly number: number;
  /** Without its newline; undefined if it exceeds the limit. */
  readonly bytes: Buffer | undefined;
  /** Bytes of the input that were read so far. */
  readonly readBytes: number;
}

/** Reads numbered lines; memory stays bounded by one chunk and one line. */
export async function* readImportedLines(input: Readable, maxLineBytes: number): AsyncGenerator<ImportedLine> {
  const splitter = new LineSplitter(maxLineBytes, new IngestMemory().begin());
  let number = 0;
  let readBytes = 0;
  for await (const piece of input) {
    const chunk: Buffer = Buffer.isBuffer(piece) ? piece : Buffer.from(String(piece));
    readBytes += chunk.length;
    for (const line of splitter.push(chunk)) {
      yield { number: number++, bytes: line, readBytes };
    }
  }
  for (const line of splitter.end()) {
    yield { number: number++, bytes: line, readBytes };
  }
}
