import { join } from 'node:path';
import { crc32c } from '@node-rs/crc32';
import type { DataFolder, StoreFile } from '../files/store-files.js';
import type { IssueRemoval, RemovalHistory, RemovedTotals } from '../index/content/removal.js';
import { AppendFile } from '../record/io/append-file.js';
import type { Partition } from '../record/partitions/partition-path.js';
import { encodeIssueLine } from './issue-line.js';
import { readRemovals } from './ledger-history.js';
import {
  encodeClosing,
  encodeDone,
  encodeLine,
  encodePartitionLine,
  LEDGER_FILE,
  type RemovalNote,
  type RemovedPartition,
} from './ledger-line.js';

/** Small enough to encode within a few milliseconds. */
const CHUNK_BYTES = 128 * 1024;

/** Writes all lines of an entry except the last in chunks, and returns their totals for the last line. */
async function writeBody(
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
async function writeSummary(
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

interface NewRemoval extends RemovalNote {
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
  readonly pending: readonly Partition[];
}

/** Smaller files are not compacted. */
const LEAST_COMPACT_BYTES = 4 * 1024 * 1024;

/**
 * Appends to `retention.ndjson` under the writer lock, always synced. A failed append is rolled back, at the latest by the next call.
 * One call at a time; `close` is idempotent.
 */
export class RetentionLedger {
  readonly #options: DataFolder;
  #state: LedgerState;
  #file: AppendFile;
  #isNameDurable = false;

  constructor(options: DataFolder, state: LedgerState) {
    this.#options = options;
    this.#state = state;
    this.#file = this.#fileOf(state.bytes);
  }

  /** Removed partitions whose files may still exist. */
  get pending(): readonly Partition[] {
    return this.#state.pending;
  }

  get totals(): RemovedTotals {
    return this.#state.totals;
  }

  get history(): RemovalHistory {
    const { files, directory } = this.#options;
    return { totals: async () => this.#state.totals, removals: () => readRemovals(files, directory) };
  }

  /** Makes a removal durable; a restart then finishes it. */
  async add(removal: NewRemoval): Promise<RemovedTotals> {
    const { totals, issueLines, pending } = this.#state;
    const { partitions, beforeMicros, throughMicros } = removal;
    const after: RemovedTotals = {
      events: totals.events + removal.events,
      partitions: totals.partitions + partitions.length,
      rawBytes: partitions.reduce((sum, { rawBytes }) => sum + rawBytes, totals.rawBytes),
      beforeMicros,
    };
    const linesAfter = await this.#append(async () => {
      const body = await writeBody((bytes) => this.#file.append(bytes), removal);
      const state = { totals: after, issueLines: issueLines + body.issueLines };
      await this.#file.append(
        Buffer.from(encodeClosing({ kind: 'removed', throughMicros, ...body, ...state }, removal)),
      );
      return state.issueLines;
    });
    const added = partitions.map(({ partition }) => partition);
    this.#state = {
      totals: after,
      issueLines: linesAfter,
      bytes: this.#file.goodBytes,
      pending: [...pending, ...added],
    };
    return after;
  }

  /** Marks all pending partitions as deleted. */
  async finish(): Promise<void> {
    await this.#append(() => this.#file.append(Buffer.from(encodeDone(this.#state))));
    this.#state = { ...this.#state, bytes: this.#file.goodBytes, pending: [] };
  }

  /** Whether more than half of the issue lines are superseded; `issues` is the number of issues that lost events. */
  isWorthCompacting(issues: number): boolean {
    const { bytes, issueLines, pending } = this.#state;
    return pending.length === 0 && bytes > LEAST_COMPACT_BYTES && issueLines > 2 * issues;
  }

  /** Rewrites the file with one line for each issue that lost events. The index on disk must include all removals. */
  async compact(issues: Iterable<IssueRemoval>): Promise<void> {
    const { files, directory } = this.#options;
    const path = join(directory, LEDGER_FILE);
    const temporary = `${path}.tmp`;
    const { totals } = this.#state;
    await this.#file.closeHandle();
    const file = await files.open(temporary, 'write');
    let written: { issueLines: number; bytes: number };
    try {
      written = await writeSummary(file, issues, totals);
    } finally {
      await file.close();
    }
    await files.rename(temporary, path);
    this.#state = { totals, ...written, pending: [] };
    this.#file = this.#fileOf(written.bytes);
    this.#isNameDurable = false;
    await files.syncFolder(directory);
    this.#isNameDurable = true;
  }

  async close(): Promise<void> {
    if (this.#file.isDirty) await this.#file.rollback();
    await this.#file.closeHandle();
  }

  async #append<Result>(write: () => Promise<Result>): Promise<Result> {
    try {
      const result = await write();
      await this.#file.sync();
      await this.#file.check();
      if (!this.#isNameDurable) await this.#options.files.syncFolder(this.#options.directory);
      this.#isNameDurable = true;
      this.#file.accept();
      return result;
    } catch (error) {
      // If this fails too, the next append truncates the file first.
      await this.#file.rollback().catch(() => undefined);
      throw error;
    }
  }

  #fileOf(goodBytes: number): AppendFile {
    const { files, directory } = this.#options;
    return new AppendFile(files, join(directory, LEDGER_FILE), { goodBytes, durable: true });
  }
}
