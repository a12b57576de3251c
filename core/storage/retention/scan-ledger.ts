import { join } from 'node:path';
import { crc32c } from '@node-rs/crc32';
import { Fault } from '../../event/fault.js';
import { beginTimeSlice } from '../../time-slice.js';
import type { DataFolder } from '../files/store-files.js';
import type { IssueRemoval } from '../index/content/removal.js';
import { ReadHandles } from '../record/io/file-handles.js';
import { type PlacedLine, readLines } from '../record/io/read-lines.js';
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

interface ScanLedgerOptions extends DataFolder {
  readonly onDamage?: ((fault: Fault) => void) | undefined;
}

/**
 * Yields the complete entries of a ledger, oldest first, one at a time in memory. Skips lines outside of complete entries, and reports
 * them to `onDamage` as `RECORD_DAMAGED` if entries follow; otherwise they are a torn end.
 */
export async function* scanLedger({ files, directory, onDamage }: ScanLedgerOptions): AsyncGenerator<LedgerEntry> {
  const path = join(directory, LEDGER_FILE);
  await using handles = new ReadHandles(files, 1);
  const slice = beginTimeSlice();
  const scan = new LedgerScan((offset) => onDamage?.(entryDamaged(path, offset)));
  const range = { chunkBytes: CHUNK_BYTES, maxLineBytes: MAX_LINE_BYTES };
  for await (const lines of readLines(handles.file(path), range)) {
    for (const line of lines) {
      if (slice.isOver) await slice.next();
      const entry = scan.add(line);
      if (entry !== undefined) yield entry;
    }
  }
}

/** Joins the lines of a ledger to entries. */
class LedgerScan {
  readonly #onDamage: (offset: number) => void;
  /** Lines since the last one that ends an entry. */
  #body = new EntryBody();
  /** Offset of the last line of a damaged entry, until a whole one follows. */
  #damagedAt: number | undefined;

  /** `onDamage` gets the offset of the last line of a damaged entry. */
  constructor(onDamage: (offset: number) => void) {
    this.#onDamage = onDamage;
  }

  /** Adds the next line; returns the entry that it completes. */
  add({ start, bytes }: PlacedLine): LedgerEntry | undefined {
    const end = this.#body.add(bytes);
    if (end === undefined) return undefined;
    const body = this.#body;
    this.#body = new EntryBody();
    if (!body.isClosedBy(end)) {
      this.#damagedAt = start;
      return undefined;
    }
    if (this.#damagedAt !== undefined) this.#onDamage(this.#damagedAt);
    this.#damagedAt = undefined;
    return { end, issues: body.issues, partitions: body.partitions, endsAt: start + bytes.length + 1 };
  }
}

/** The lines of an entry before its last one. */
class EntryBody {
  readonly issues: IssueRemoval[] = [];
  readonly partitions: RemovedPartition[] = [];
  #lines = 0;
  #checksum = 0;
  #hasInvalidLine = false;

  /** Adds a line, or returns it if it ends an entry. */
  add(bytes: Buffer): ClosingLine | DoneLine | undefined {
    const line = parseLedgerLine(bytes.toString('utf8'));
    if (line?.kind === 'issue') this.issues.push(line.issue);
    else if (line?.kind === 'partition') this.partitions.push(line);
    else if (line === undefined) this.#hasInvalidLine = true;
    else return line;
    this.#lines += 1;
    this.#checksum = crc32c('\n', crc32c(bytes, this.#checksum));
    return undefined;
  }

  /** Whether it is whole with this last line. */
  isClosedBy(end: ClosingLine | DoneLine): boolean {
    if (end.kind === 'done') return this.#lines === 0;
    return this.#lines === end.lines && this.#checksum === end.crc32c && !this.#hasInvalidLine;
  }
}

function entryDamaged(path: string, offset: number): Fault {
  return new Fault(
    'RECORD_DAMAGED',
    `The entry that ends at byte ${offset} of ${path} is damaged and is left out: issues may count too few removed events. Restore the file from a backup.`,
  );
}
