import { join } from 'node:path';
import { crc32c } from '@node-rs/crc32';
import type { DataFolder } from '../files/store-files.js';
import { temporaryOf, writeTemporary } from '../files/write-durably.js';
import {
  type IssueRemoval,
  NOTHING_REMOVED,
  type RemovalHistory,
  type RemovedTotals,
} from '../index/content/removal.js';
import { AppendFile } from '../record/io/append-file.js';
import { cutTornEnd } from '../record/io/salvage.js';
import type { PartitionFolder } from '../record/partitions/partition-path.js';
import { encodeIssueLine } from './issue-line.js';
import { readLedgerTail, readRemovals } from './ledger-history.js';
import {
  type ClosingLine,
  encodeClosing,
  encodeDone,
  encodeLine,
  LEDGER_FILE,
  type RemovalDescription,
  type RemovedPartition,
} from './ledger-line.js';
import { scanLedger } from './scan-ledger.js';

/** Small enough to encode within a few milliseconds. */
const CHUNK_BYTES = 128 * 1024;

/** Lines of an entry without the last, their bytes with newlines, and their checksum. */
type EntrySize = Pick<ClosingLine, 'lines' | 'bytes' | 'crc32c'>;

/** Encodes an entry in chunks; `close` returns the last line. */
function* encodeEntry(lines: Iterable<object>, close: (size: EntrySize) => string): Generator<Buffer> {
  const size = { lines: 0, bytes: 0, crc32c: 0 };
  let chunk = '';
  const flush = (): Buffer => {
    const bytes = Buffer.from(chunk, 'utf8');
    chunk = '';
    size.bytes += bytes.length;
    size.crc32c = crc32c(bytes, size.crc32c);
    return bytes;
  };
  for (const line of lines) {
    chunk += encodeLine(line);
    size.lines += 1;
    if (chunk.length >= CHUNK_BYTES) yield flush();
  }
  if (chunk !== '') yield flush();
  yield Buffer.from(close(size), 'utf8');
}

function* linesOf(issues: Iterable<IssueRemoval>, partitions: readonly RemovedPartition[] = []): Generator<object> {
  for (const issue of issues) yield encodeIssueLine(issue);
  for (const { partition, rawBytes } of partitions) {
    yield { kind: 'partition', folder: partition.folder, raw_bytes: rawBytes };
  }
}

interface NewRemoval extends RemovalDescription {
  readonly beforeMicros: number;
  readonly throughMicros: number;
  readonly issues: Iterable<IssueRemoval>;
  readonly partitions: readonly RemovedPartition[];
}

/** State of a ledger after its last entry. */
export interface LedgerState {
  readonly totals: RemovedTotals;
  readonly issueLines: number;
  readonly bytes: number;
  /** Partitions of entries that are not done. */
  readonly pending: readonly PartitionFolder[];
}

/** Smaller files are not compacted. */
const LEAST_COMPACT_BYTES = 4 * 1024 * 1024;

interface RetentionLedgerOptions extends DataFolder {
  /** Called with Fault `RECORD_DAMAGED` for a damaged entry. */
  onFault?: ((fault: Error) => void) | undefined;
}

/** Opens the ledger before anything else writes to the folder; a torn last entry is moved to `salvage/`. */
export async function openRetentionLedger(options: RetentionLedgerOptions): Promise<RetentionLedger> {
  return new RetentionLedger(options, await loadState(options));
}

async function loadState({ directory, files, onFault }: RetentionLedgerOptions): Promise<LedgerState> {
  const tail = await readLedgerTail(files, directory);
  // A done or summary line is written after everything before it is durable, so the rest need not be read.
  if (tail?.isDone) return { ...tail, pending: [] };
  let state: LedgerState = { totals: NOTHING_REMOVED, issueLines: 0, bytes: 0, pending: [] };
  for await (const entry of scanLedger({ directory, files, onDamage: onFault })) {
    const { totals, issueLines, kind } = entry.end;
    const removed = entry.partitions.map(({ partition }) => partition);
    const pending = kind === 'removed' ? [...state.pending, ...removed] : [];
    state = { totals, issueLines, bytes: entry.endsAt, pending };
  }
  await cutTornEnd({ files, directory, name: LEDGER_FILE, end: state.bytes });
  return state;
}

/** Appends to `retention.ndjson`, always synced, one call at a time; a failed append is rolled back by the next at the latest. */
export class RetentionLedger {
  readonly #folder: DataFolder;
  readonly #path: string;
  #state: LedgerState;
  #file: AppendFile;

  constructor({ files, directory }: DataFolder, atOpen: LedgerState) {
    this.#folder = { files, directory };
    this.#path = join(directory, LEDGER_FILE);
    this.#state = atOpen;
    this.#file = this.#fileOf(atOpen.bytes);
  }

  /** Removed partitions whose files may still exist. */
  get pending(): readonly PartitionFolder[] {
    return this.#state.pending;
  }

  get totals(): RemovedTotals {
    return this.#state.totals;
  }

  /** What it says, for the index. */
  get history(): RemovalHistory {
    const { files, directory } = this.#folder;
    return { totals: async () => this.totals, removals: () => readRemovals(files, directory) };
  }

  /** Makes a removal durable; a restart then finishes it. */
  async add(removal: NewRemoval): Promise<RemovedTotals> {
    const { totals, pending, issueLines: issueLinesBefore } = this.#state;
    const { partitions, beforeMicros, throughMicros } = removal;
    const after: RemovedTotals = {
      events: totals.events + removal.events,
      partitions: totals.partitions + partitions.length,
      rawBytes: partitions.reduce((sum, { rawBytes }) => sum + rawBytes, totals.rawBytes),
      beforeMicros,
    };
    let issueLines = issueLinesBefore;
    const entry = encodeEntry(linesOf(removal.issues, partitions), (size) => {
      issueLines += size.lines - partitions.length;
      return encodeClosing({ kind: 'removed', throughMicros, ...size, totals: after, issueLines }, removal);
    });
    await this.#append(entry);
    const removed = partitions.map(({ partition }) => partition);
    this.#state = { totals: after, issueLines, bytes: this.#file.goodBytes, pending: [...pending, ...removed] };
    return after;
  }

  /** Marks all pending partitions as deleted. */
  async finish(): Promise<void> {
    await this.#append([Buffer.from(encodeDone(this.#state), 'utf8')]);
    this.#state = { ...this.#state, bytes: this.#file.goodBytes, pending: [] };
  }

  /** Whether more than half of the issue lines are superseded; `issues` is the number of issues that lost events. */
  isWorthCompacting(issues: number): boolean {
    const { pending, bytes, issueLines } = this.#state;
    return pending.length === 0 && bytes > LEAST_COMPACT_BYTES && issueLines > 2 * issues;
  }

  /** Rewrites the file with one line for each issue that lost events. The index on disk must include all removals. */
  async compact(issues: Iterable<IssueRemoval>): Promise<void> {
    const { files, directory } = this.#folder;
    const { totals } = this.#state;
    let issueLines = 0;
    const entry = encodeEntry(linesOf(issues), (size) => {
      issueLines = size.lines;
      return encodeClosing({ kind: 'summary', totals, throughMicros: 0, ...size, issueLines });
    });
    await this.#file.closeHandle();
    await writeTemporary(files, this.#path, entry);
    const bytes = (await files.stat(temporaryOf(this.#path)))?.bytes ?? 0;
    await files.rename(temporaryOf(this.#path), this.#path);
    this.#state = { totals, issueLines, bytes, pending: [] };
    this.#file = this.#fileOf(bytes);
    await files.syncFolder(directory);
  }

  async close(): Promise<void> {
    if (this.#file.isDirty) await this.#file.rollback();
    await this.#file.closeHandle();
  }

  #fileOf(goodBytes: number): AppendFile {
    return new AppendFile(this.#folder.files, this.#path, { goodBytes, durable: true });
  }

  async #append(chunks: Iterable<Buffer>): Promise<void> {
    try {
      await this.#file.commit(chunks);
    } catch (error) {
      // If this fails too, the next append truncates the file first.
      await this.#file.rollback().catch(() => undefined);
      throw error;
    }
  }
}
