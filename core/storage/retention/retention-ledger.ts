import { join } from 'node:path';
import type { DataFolder } from '../files/store-files.js';
import type { IssueRemoval, RemovalHistory, RemovedTotals } from '../index/content/removal.js';
import { AppendFile } from '../record/io/append-file.js';
import type { Partition } from '../record/partitions/partition-path.js';
import { readRemovals } from './ledger-history.js';
import { encodeClosing, encodeDone, LEDGER_FILE, type RemovalNote, type RemovedPartition } from './ledger-line.js';
import { writeBody, writeSummary } from './write-entry.js';

/** What is written down before anything is deleted. */
export interface NewRemoval extends RemovalNote {
  readonly beforeMicros: number;
  readonly throughMicros: number;
  /** Asked for one by one, as they are written. */
  readonly issues: Iterable<IssueRemoval>;
  readonly partitions: readonly RemovedPartition[];
}

/** Where a ledger stands. */
export interface LedgerState {
  readonly totals: RemovedTotals;
  readonly issueLines: number;
  readonly bytes: number;
  /** Of entries that are not done. */
  readonly pending: readonly Partition[];
}

/** A smaller file is never written anew. */
const LEAST_COMPACT_BYTES = 4 * 1024 * 1024;

/**
 * The append side of `retention.ndjson`, under the writer lock; always synced. What fails leaves the file as it was, or is cut by the next call.
 * One call at a time; `close` is safe twice.
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

  /** Partitions that were written down as removed and may still be there. */
  get pending(): readonly Partition[] {
    return this.#state.pending;
  }

  get totals(): RemovedTotals {
    return this.#state.totals;
  }

  /** For the index of the same process. */
  get history(): RemovalHistory {
    const { files, directory } = this.#options;
    return { totals: async () => this.#state.totals, removals: () => readRemovals(files, directory) };
  }

  /** Makes a removal durable; from then on it will be finished, whatever happens. */
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

  /** Says that all pending partitions are gone. */
  async finish(): Promise<void> {
    await this.#append(() => this.#file.append(Buffer.from(encodeDone(this.#state))));
    this.#state = { ...this.#state, bytes: this.#file.goodBytes, pending: [] };
  }

  /** Whether most of the file is about issues that later lines tell more of; `issues` is how many lost events. */
  isWorthCompacting(issues: number): boolean {
    const { bytes, issueLines, pending } = this.#state;
    return pending.length === 0 && bytes > LEAST_COMPACT_BYTES && issueLines > 2 * issues;
  }

  /** Writes the file anew with one line for each issue that lost events, all of which must be given. The index on disk must know all removals. */
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
      // Where this fails too, the next append cuts before it writes.
      await this.#file.rollback().catch(() => undefined);
      throw error;
    }
  }

  #fileOf(goodBytes: number): AppendFile {
    const { files, directory } = this.#options;
    return new AppendFile(files, join(directory, LEDGER_FILE), { goodBytes, durable: true });
  }
}
