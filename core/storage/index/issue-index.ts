import type { Fault } from '../../event/fault.js';
import type { RawPayload } from '../../event/raw-payload.js';
import type { Fingerprint } from '../../fingerprint/fingerprint.js';
import type { CommittedEvent } from '../committed-event.js';
import { nodeFiles } from '../files/node-files.js';
import type { StoreFiles } from '../files/store-files.js';
import type { RecordReader } from '../record/record-reader.js';
import { CheckpointWriter } from './checkpoint-writer.js';
import { Checkpointer } from './checkpointer.js';
import { FailureRow } from './failure-row.js';
import { fingerprintVersionOf } from './fingerprint-version.js';
import type { IndexContent } from './index-content.js';
import { indexAheadOfRecord, indexUnusable, isIndexUnusable } from './index-fault.js';
import { manifestPath, setIndexAside } from './index-folder.js';
import type { IndexSource } from './index-source.js';
import { type LoadedIndex, loadIndex } from './load-index.js';
import { removeManifest } from './manifest.js';
import type { RemovalHistory, RemovalPlan } from './removal.js';
import { removeStrays } from './remove-strays.js';
import { countRowsBefore, removalsOf } from './removed-rows.js';
import { type ReplayProgress, replayRecord } from './replay-record.js';
import { openReplayThreads } from './replay-threads.js';
import { createEmptyIndex, writeEmptyIndex } from './start-index.js';
import { takeRemovals } from './take-removals.js';

/** How the index is opened by the one process that writes it. */
export interface IssueIndexOptions {
  /** Absolute path of the data folder, which must exist. */
  directory: string;
  files: StoreFiles;
  /** The record from which the index is derived; stays open when the index closes. */
  record: Pick<RecordReader, 'partitionOfId' | 'replayUnread'>;
  /** Groups a payload again when the record is replayed; must be the function that grouped it on arrival. */
  fingerprint: (payload: RawPayload) => Fingerprint;
  /** Module that exports the same function as `computeFingerprint`, so that a long replay reads and groups on further threads; default: on this one alone. Unused where `files` is not the real disk, which is what threads read. */
  fingerprintModule?: URL | undefined;
  /** What retention wrote down; default: nothing was removed. */
  history?: RemovalHistory | undefined;
  /** Milliseconds between checkpoints, default 5,000. */
  checkpointIntervalMs?: number | undefined;
  /**
   * Called before anything is replayed, with the receipt after which the index needs the record (0: all of it). Called a second time, with 0,
   * where the index then turns out to be ahead of the record.
   */
  beforeReplay?: ((cursorMicros: number) => Promise<void>) | undefined;
  /** Called before a manifest says that events are covered: answers when they are on the disk. Default: they are there before they are applied. */
  beforeManifest?: (() => Promise<void>) | undefined;
  /** Called while the record is replayed. */
  onProgress?: ((progress: ReplayProgress) => void) | undefined;
  /** Ends a replay: the index is closed, and opening it rejects with Fault `STORE_CLOSING`. The next one goes on from there. */
  signal?: AbortSignal | undefined;
  /** Called for what no caller waits for: an index that was set aside, damage in the record, the first of a row of failed writes. */
  onFault?: ((fault: Error) => void) | undefined;
}

/** The index in the process that writes it. */
export interface IssueIndex extends IndexSource {
  /** Takes one whole commit, in the order of commits; synchronous. */
  apply(events: readonly CommittedEvent[]): void;
  /** Brings the index on disk up to the last commit; rejects with the system's error. */
  checkpoint(): Promise<void>;
  /**
   * Takes the events before an instant out of the index, once `writeDown` has made them durable as removed. No event before it may arrive any more.
   * False where nothing was done: the index is closed or unusable, or `isCancelled` said so. Rejects as `writeDown` does, with `INDEX_UNUSABLE`, or
   * with the system's error; then nothing is removed. The caller makes a checkpoint afterwards.
   */
  remove(removal: RemovalPlan): Promise<boolean>;
}

const CHECKPOINT_INTERVAL_MS = 5_000;
/** Segments that may wait for the disk while the record is replayed; live events never wait. */
const MAX_UNWRITTEN_IN_REPLAY = 64;

/**
 * Loads the index of a folder and replays what it lacks. One that is missing, torn, of another version or at odds with the record is set aside
 * and rebuilt. For the one writer of the folder, under its lock. Rejects with the system's error where the folder cannot be read.
 */
export async function openIssueIndex(options: IssueIndexOptions): Promise<IssueIndex> {
  const { directory, onFault = () => undefined } = options;
  for (;;) {
    const loaded = await loadOrStart(options, onFault);
    await options.beforeReplay?.(Math.max(loaded.manifest.cursorMicros, loaded.content.removed.beforeMicros - 1));
    const index = new WritingIndex(options, loaded, onFault);
    try {
      await index.replay();
    } catch (error) {
      await index.close();
      throw error;
    }
    if (!index.content.isAheadOfRecord) return index;
    // What is set aside next leaves an empty index behind, which is never ahead of anything: this happens once.
    await index.recover(indexAheadOfRecord(directory));
  }
}

async function loadOrStart(options: IssueIndexOptions, onFault: (fault: Error) => void): Promise<LoadedIndex> {
  const { directory, files, record, history } = options;
  const fingerprintVersion = fingerprintVersionOf(options.fingerprint);
  try {
    const loaded = await loadIndex({ directory, files, record, fingerprintVersion, history });
    if (loaded !== undefined) {
      await removeStrays(files, directory, loaded.manifest);
      return loaded;
    }
  } catch (error) {
    if (!isIndexUnusable(error)) throw error;
    onFault(error);
  }
  await setIndexAside(files, directory);
  const empty = createEmptyIndex(files, directory, fingerprintVersion);
  await writeEmptyIndex(files, directory, empty);
  await takeRemovals({ root: directory, content: empty.content, history, isNew: true });
  return empty;
}

class WritingIndex implements IssueIndex {
  readonly content: IndexContent;
  readonly #options: IssueIndexOptions;
  readonly #onFault: (fault: Error) => void;
  readonly #failures: FailureRow;
  readonly #writer: CheckpointWriter;
  readonly #checkpointer: Checkpointer;
  #segmentsBegun = 0;
  #segmentsWritten: Promise<void> = Promise.resolve();
  #unusable: Fault | undefined;

  constructor(options: IssueIndexOptions, loaded: LoadedIndex, onFault: (fault: Error) => void) {
    const { directory: root, files } = options;
    this.content = loaded.content;
    this.#options = options;
    this.#onFault = onFault;
    this.#failures = new FailureRow(onFault);
    const beforeManifest = options.beforeManifest ?? (async () => {});
    this.#writer = new CheckpointWriter({ files, root, beforeManifest, ...loaded });
    this.#checkpointer = new Checkpointer({
      intervalMs: options.checkpointIntervalMs ?? CHECKPOINT_INTERVAL_MS,
      cost: () => this.#writer.cost(),
      write: (how) => this.#writer.write(how),
      failures: this.#failures,
    });
  }

  get lagEvents(): number {
    return this.content.segments.arrived - this.#writer.manifest.events;
  }

  apply(events: readonly CommittedEvent[]): void {
    try {
      this.content.apply(events);
    } catch (cause) {
      // Half a commit may be counted: nothing of this may reach the disk.
      const path = manifestPath(this.#options.directory);
      void this.recover(indexUnusable(path, 'does not hold the last commit, which could not be taken in', cause));
      throw cause;
    }
    void this.#writeSegments();
  }

  async checkpoint(): Promise<void> {
    if (this.#unusable !== undefined) throw this.#unusable;
    await this.#checkpointer.checkpoint();
  }

  async remove(plan: RemovalPlan): Promise<boolean> {
    try {
      return (await this.#checkpointer.exclusively(() => this.#remove(plan))) ?? false;
    } catch (error) {
      if (isIndexUnusable(error)) await this.recover(error);
      throw error;
    }
  }

  /** While no checkpoint is made, so that all documents of one know the same removals. */
  async #remove({ beforeMicros, writeDown, isCancelled }: RemovalPlan): Promise<boolean> {
    const { content } = this;
    if (this.#unusable !== undefined) return false;
    // Whoever loads the index after a crash finds every event that is gone counted in it, or nothing of the removal written down.
    if (this.#writer.manifest.cursorMicros < beforeMicros && this.lagEvents > 0)
      await this.#writer.write({ seal: true });
    const rows = await countRowsBefore(content, beforeMicros, isCancelled);
    if (rows === undefined || this.#unusable !== undefined) return false;
    const { events, throughMicros } = rows;
    const totals = await writeDown({ events, throughMicros, issues: removalsOf(content, rows) });
    content.remove(rows.issues, totals);
    return true;
  }

  async refresh(): Promise<void> {}

  async recover(fault: Fault): Promise<boolean> {
    if (this.#unusable === undefined) {
      this.#unusable = fault;
      this.#onFault(fault);
      await this.#checkpointer.abandon();
      await this.#writeSegments();
      try {
        await removeManifest(this.#options.files, this.#options.directory);
      } catch (error) {
        this.#failures.failed(error);
      }
    }
    return false;
  }

  async close(): Promise<void> {
    await this.#checkpointer.close();
  }

  async replay(): Promise<void> {
    const { record, files, fingerprint, fingerprintModule, signal, onProgress } = this.#options;
    const { content } = this;
    await replayRecord({
      record,
      content,
      afterMicros: content.lastReceivedAtMicros,
      fingerprint,
      openThreads:
        fingerprintModule && files === nodeFiles
          ? () => openReplayThreads(fingerprintModule, this.#onFault)
          : undefined,
      signal,
      onProgress,
      onFault: this.#onFault,
      afterCommit: async () => {
        const written = this.#writeSegments();
        if (content.segments.unwritten > MAX_UNWRITTEN_IN_REPLAY) await written;
      },
    });
  }

  /**
   * Writes what was sealed since the last call; a failure is tried again when the next segment is sealed, or at a checkpoint.
   * Success here ends no row of failures: checkpoints may go on failing at other documents.
   */
  #writeSegments(): Promise<void> {
    const { sealed } = this.content.segments;
    if (sealed.segments === this.#segmentsBegun) return this.#segmentsWritten;
    this.#segmentsBegun = sealed.segments;
    this.#segmentsWritten = this.content.segments
      .writeUpTo(sealed.segments)
      .catch((error: unknown) => this.#failures.failed(error));
    return this.#segmentsWritten;
  }
}
