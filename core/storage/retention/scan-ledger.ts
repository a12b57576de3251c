import { join } from 'node:path';
import { crc32c } from '@node-rs/crc32';
import { Fault } from '../../event/fault.js';
import { beginTimeSlice } from '../../time-slice.js';
import type { DataFolder } from '../files/store-files.js';
import type { IssueRemoval } from '../index/content/removal.js';
import { ReadHandles } from '../record/io/file-handles.js';
import { readLines } from '../record/io/read-lines.js';
import { type ClosingLine, type DoneLine, LEDGER_FILE, parseLedgerLine, type RemovedPartition } from './ledger-line.js';

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
  await using handles = new ReadHandles(options.files, 1);
  const slice = beginTimeSlice();
  let body: ReturnType<typeof parseLedgerLine>[] = [];
  let checksum = 0;
  let damagedAt: number | undefined;
  const range = { chunkBytes: CHUNK_BYTES, maxLineBytes: MAX_LINE_BYTES };
  for await (const lines of readLines(handles.file(path), range)) {
    for (const { start, bytes } of lines) {
      if (slice.isOver) await slice.next();
      const line = parseLedgerLine(bytes.toString('utf8'));
      if (line === undefined || line.kind === 'issue' || line.kind === 'partition') {
        body.push(line);
        checksum = crc32c('\n', crc32c(bytes, checksum));
        continue;
      }
      const isWhole =
        line.kind === 'done'
          ? body.length === 0
          : body.length === line.lines && checksum === line.crc32c && !body.includes(undefined);
      if (!isWhole) damagedAt = start;
      else {
        if (damagedAt !== undefined) options.onDamage?.(entryDamaged(path, damagedAt));
        damagedAt = undefined;
        const issues = body.flatMap((one) => (one?.kind === 'issue' ? [one.issue] : []));
        const partitions = body.flatMap((one) => (one?.kind === 'partition' ? [one] : []));
        yield { end: line, issues, partitions, endsAt: start + bytes.length + 1 };
      }
      body = [];
      checksum = 0;
    }
  }
}

function entryDamaged(path: string, offset: number): Fault {
  return new Fault(
    'RECORD_DAMAGED',
    `The entry that ends at byte ${offset} of ${path} is damaged and is left out: issues may count too few removed events. Restore the file from a backup.`,
  );
}
