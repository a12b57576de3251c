import { crc32c } from '@node-rs/crc32';
import type { StoreFile } from '../files/store-files.js';
import type { IssueRemoval, RemovedTotals } from '../index/content/removal.js';
import { encodeIssueLine } from './issue-line.js';
import { encodeClosing, encodeLine, encodePartitionLine, type RemovedPartition } from './ledger-line.js';

/** Small enough to encode within a few milliseconds. */
const CHUNK_BYTES = 128 * 1024;

/** Writes all lines of an entry except the last in chunks, and returns their totals for the last line. */
export async function writeBody(
  append: (bytes: Buffer) => Promise<void>,
  body: { issues: Iterable<IssueRemoval>; partitions: readonly RemovedPartition[] },
): Promise<{ lines: number; bytes: number; crc32c: number; issueLines: number }> {
  const written = { lines: 0, bytes: 0, crc32c: 0, issueLines: 0 };
  let chunk: string[] = [];
  let length = 0;
  const flush = async (): Promise<void> => {
    const bytes = Buffer.from(chunk.join(''), 'utf8');
    chunk = [];
    length = 0;
    written.bytes += bytes.length;
    written.crc32c = crc32c(bytes, written.crc32c);
    if (bytes.length > 0) await append(bytes);
  };
  const add = async (line: string): Promise<void> => {
    chunk.push(line);
    length += line.length;
    written.lines += 1;
    if (length >= CHUNK_BYTES) await flush();
  };
  for (const issue of body.issues) {
    written.issueLines += 1;
    await add(encodeLine(encodeIssueLine(issue)));
  }
  for (const partition of body.partitions) await add(encodePartitionLine(partition));
  await flush();
  return written;
}

/** Writes and syncs a file with one summary entry. */
export async function writeSummary(
  file: StoreFile,
  issues: Iterable<IssueRemoval>,
  totals: RemovedTotals,
): Promise<{ issueLines: number; bytes: number }> {
  let end = 0;
  const append = async (bytes: Buffer): Promise<void> => {
    await file.write([bytes], end);
    end += bytes.length;
  };
  await file.truncate(0);
  const body = await writeBody(append, { issues, partitions: [] });
  await append(Buffer.from(encodeClosing({ kind: 'summary', totals, throughMicros: 0, ...body })));
  await file.sync();
  return { issueLines: body.issueLines, bytes: end };
}
