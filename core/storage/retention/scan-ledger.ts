import { join } from 'node:path';
import { crc32c } from '@node-rs/crc32';
import { Fault } from '../../event/fault.js';
import { beginTimeSlice } from '../../time-slice.js';
import type { DataFolder } from '../files/store-files.js';
import type { IssueRemoval } from '../index/content/removal.js';
import { createReadHandles } from '../record/io/file-handles.js';
import { readLines } from '../record/io/read-lines.js';
import { decodeIssueLine } from './issue-line.js';
import {
  type ClosingLine,
  type DoneLine,
  LEDGER_FILE,
  parseEndLine,
  parseLedgerLine,
  parsePartitionLine,
  type RemovedPartition,
} from './ledger-line.js';

/** A whole entry; one that only marks earlier ones as done has no issues and partitions. */
interface LedgerEntry {
  readonly end: ClosingLine | DoneLine;
  readonly issues: readonly IssueRemoval[];
  readonly partitions: readonly RemovedPartition[];
  readonly endsAt: number;
}

const CHUNK_BYTES = 256 * 1024;
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/**
 * Yields the complete entries of a ledger, oldest first, one at a time in memory. Skips lines outside of complete entries, and reports
 * them to `onDamage` as `RECORD_DAMAGED` if entries follow; otherwise they are a torn end.
 */
export async function* scanLedger(
  options: DataFolder & {
    onDamage?: ((fault: Fault) => void) | undefined;
  },
): AsyncGenerator<LedgerEntry> {
  const path = join(options.directory, LEDGER_FILE);
  const handles = createReadHandles(options.files, 1);
  let body: Buffer[] = [];
  let damagedAt: number | undefined;
  try {
    const range = { from: 0, chunkBytes: CHUNK_BYTES, maxLineBytes: MAX_LINE_BYTES };
    for await (const lines of readLines(handles.file(path), range)) {
      for (const { start, bytes } of lines) {
        const end = parseEndLine(bytes.toString('utf8'));
        if (end === undefined) {
          body.push(bytes);
          continue;
        }
        const entry = await parseEntry(end, body, start + bytes.length + 1);
        body = [];
        if (entry === undefined) {
          damagedAt = start;
          continue;
        }
        if (damagedAt !== undefined) options.onDamage?.(entryDamaged(path, damagedAt));
        damagedAt = undefined;
        yield entry;
      }
    }
  } finally {
    await handles.close();
  }
}

async function parseEntry(
  end: ClosingLine | DoneLine,
  body: readonly Buffer[],
  endsAt: number,
): Promise<LedgerEntry | undefined> {
  if (end.kind === 'done') return body.length === 0 ? { end, issues: [], partitions: [], endsAt } : undefined;
  if (body.length !== end.lines) return undefined;
  let checksum = 0;
  const issues: IssueRemoval[] = [];
  const partitions: RemovedPartition[] = [];
  const slice = beginTimeSlice();
  for (const bytes of body) {
    if (slice.isOver) await slice.next();
    checksum = crc32c('\n', crc32c(bytes, checksum));
    const text = bytes.toString('utf8');
    const issue = parseLedgerLine(text, (kind, fields) => (kind === 'issue' ? decodeIssueLine(fields) : undefined));
    const partition = issue === undefined ? parsePartitionLine(text) : undefined;
    if (issue !== undefined) issues.push(issue);
    else if (partition !== undefined) partitions.push(partition);
    else return undefined;
  }
  return checksum === end.crc32c ? { end, issues, partitions, endsAt } : undefined;
}

function entryDamaged(path: string, offset: number): Fault {
  return new Fault(
    'RECORD_DAMAGED',
    `The entry that ends at byte ${offset} of ${path} is damaged and is left out: issues may count too few removed events. Restore the file from a backup.`,
  );
}
