import type { Fault } from '../../event/fault.js';
import { AppendGate } from '../append-gate.js';
import { replaceData } from '../files/durable-document.js';
import { FailureStreak } from '../files/failure-streak.js';
import { unlinkIfExists } from '../files/store-files.js';
import type { GroupingPlan } from '../groupings/grouping-log-plan.js';
import { storeClosing } from '../record/append-faults.js';
import type { CommittedEvent } from '../record/commits/committed-event.js';
import type { Partition } from '../record/partitions/partition-path.js';
import { Checkpointer } from './checkpoint/checkpointer.js';
import type { LoadedIndex } from './checkpoint/load-index.js';
import { createManifest, type ManifestDocument } from './checkpoint/manifest.js';
import { removeStrayGenerations } from './checkpoint/remove-strays.js';
import type { IndexContent } from './content/index-content.js';
import type { RemovalPlan } from './content/removal.js';
import { countRowsBefore, removalsOf } from './content/removed-rows.js';
import { indexUnusable, isIndexUnusable } from './documents/index-fault.js';
import { generationManifestPath, manifestPath } from './documents/index-folder.js';
import { beginGeneration, WritingGeneration } from './generation-writer.js';
import type { IndexSource } from './index-source.js';
import type { IssueIndexOptions } from './issue-index-options.js';

/** The index in the process that writes it; call `replay` first. */
export class IssueIndex implements IndexSource {
  readonly #options: IssueIndexOptions;
  readonly #onFault: (fault: Error) => void;
  readonly #failures: FailureStreak;
  /** Of the active generation. */
  readonly #manifest: ManifestDocument;
  #active: WritingGeneration;
  #checkpointer: Checkpointer;
  readonly #removals = new AppendGate();
  #unusable: Fault | undefined;

  constructor(options: IssueIndexOptions, loaded: LoadedIndex, onFault: (fault: Error) => void) {
    this.#options = options;
    this.#onFault = onFault;
    this.#failures = new FailureStreak(onFault);
    this.#manifest = createManifest(options.files, manifestPath(options.directory));
    this.#active = new WritingGeneration(options, options.grouping, loaded, this.#manifest, this.#failures);
    this.#checkpointer = this.#startCheckpointer();
  }

  #startCheckpointer(): Checkpointer {
    const { checkpointIntervalMs, closeTimeoutMs, timers } = this.#options;
    const { writer } = this.#active;
    return new Checkpointer({
      writer,
      failures: this.#failures,
      intervalMs: checkpointIntervalMs,
      closeTimeoutMs,
      timers,
    });
  }

  get content(): IndexContent {
    return this.#active.content;
  }

  get lagEvents(): number {
    return this.#active.lagEvents;
  }

  /** Applies one whole commit, in the order of commits; synchronous. */
  apply(events: readonly CommittedEvent[]): void {
    try {
      this.content.apply(events);
    } catch (cause) {
      // Half a commit may be counted: it must not reach the disk.
      const path = manifestPath(this.#options.directory);
      void this.recover(indexUnusable(path, 'lacks the last commit, which could not be applied', cause));
      throw cause;
    }
    void this.#active.writeSegments();
    this.#checkpointer.applied();
  }

  /** Writes everything up to the last commit to disk; rejects with the system's error. */
  async checkpoint(): Promise<void> {
    if (this.#unusable !== undefined) throw this.#unusable;
    await this.#checkpointer.checkpoint();
  }

  /**
   * Removes the events before an instant once `writeDown` has made the removal durable. No event before it may arrive any more. Returns
   * false, and changes nothing, if the index is closed or unusable, or `isCancelled` returns true. Rejects with the error of `writeDown`,
   * `INDEX_UNUSABLE`, or the system's error. The caller makes a checkpoint afterwards.
   */
  async remove(plan: RemovalPlan): Promise<boolean> {
    try {
      // Between checkpoints, so that all documents of a checkpoint know the same removals.
      const work = () => this.#checkpointer.exclusively(() => this.#remove(plan));
      return (await this.#removals.pass(work)) ?? false;
    } catch (error) {
      if (isIndexUnusable(error)) await this.recover(error);
      throw error;
    }
  }

  async #remove({ beforeMicros, writeDown, isCancelled }: RemovalPlan): Promise<boolean> {
    const { content } = this;
    if (this.#unusable !== undefined || isCancelled()) return false;
    // After a crash the index either counts every removed event or knows nothing of the removal.
    if (this.#active.writer.manifest.cursorMicros < beforeMicros && this.lagEvents > 0)
      await this.#active.writer.write({ seal: true });
    const rows = await countRowsBefore(content, beforeMicros, isCancelled);
    if (rows === undefined || this.#unusable !== undefined) return false;
    const { events, throughMicros } = rows;
    const totals = await writeDown({ events, throughMicros, issues: removalsOf(content, rows) });
    content.remove(rows.issues, totals);
    return true;
  }

  /** Blocks removals until the returned function is called, so that new generations know the same ones. Rejects with `STORE_CLOSING`. */
  async holdRemovals(): Promise<() => void> {
    const release = await this.#removals.hold();
    if (await this.#checkpointer.exclusively(async () => true)) return release;
    release();
    throw this.#unusable ?? storeClosing();
  }

  /** Creates an invisible generation, empty or from the kept one grouped by `from`. Hold removals meanwhile. */
  async beginGeneration(plan: GroupingPlan, from?: string | null): Promise<WritingGeneration> {
    const { directory, files, grouping } = this.#options;
    const loaded = await beginGeneration(this.#options, plan, from);
    const manifest = createManifest(files, generationManifestPath(directory, loaded.manifest.generation));
    return new WritingGeneration(this.#options, { ...grouping, plan }, loaded, manifest, this.#failures);
  }

  /**
   * Replaces the active generation once `commit` resolves; `next` must hold everything applied and have a checkpoint, and nothing may be
   * applied meanwhile. Rejects with the error of `commit`, and then nothing changed. The previous generation stays on disk if its grouping
   * is `kept`, else it is removed.
   */
  async activate(next: WritingGeneration, commit: () => Promise<void>, kept: string | null | undefined): Promise<void> {
    const { directory, files } = this.#options;
    const before = this.#active;
    const checkpointer = this.#checkpointer;
    const isActivated = await checkpointer.exclusively(async () => {
      if (this.#unusable !== undefined) throw this.#unusable;
      const { manifest } = before.writer;
      const keptManifest = createManifest(files, generationManifestPath(directory, manifest.generation));
      await replaceData(keptManifest, { manifest });
      await commit();
      // A queued checkpoint of the old generation must not overwrite the manifest.
      before.writer.redirect(keptManifest);
      next.writer.redirect(this.#manifest);
      this.#active = next;
      this.#checkpointer = this.#startCheckpointer();
      return true;
    });
    if (isActivated === undefined) throw storeClosing();
    await checkpointer.abandon();
    // The log names the generation already: the next checkpoint or start repairs what fails here.
    await this.#checkpointer.exclusively(async () => {
      try {
        await next.writer.publish();
        await removeStrayGenerations(files, directory, { shown: next.writer.manifest.generation, kept });
      } catch (error) {
        this.#failures.failed(error);
      }
    });
  }

  async refresh(): Promise<void> {}

  async recover(fault: Fault, content: IndexContent = this.content): Promise<boolean> {
    // Its documents were removed because another generation is active now.
    if (content !== this.content) return true;
    if (this.#unusable === undefined) {
      this.#unusable = fault;
      this.#onFault(fault);
      await this.#checkpointer.abandon();
      await this.#active.writeSegments();
      try {
        // Without a manifest it is rebuilt when the folder is next opened for writing.
        await unlinkIfExists(this.#options.files, manifestPath(this.#options.directory));
      } catch (error) {
        this.#failures.failed(error);
      }
    }
    return false;
  }

  async close(): Promise<void> {
    await this.#checkpointer.close();
    // Nothing may be written once the lock is released.
    await this.#active.writeSegments();
  }

  /** Applies what the record, or these partitions of it, hold beyond the index, and begins to write it; rejects with `STORE_CLOSING` if `signal` aborts. */
  async replay(among?: readonly Partition[]): Promise<void> {
    const { signal, onProgress } = this.#options;
    await this.#active.catchUp({ among, signal, onProgress, afterCommit: () => this.#checkpointer.replayed() });
    if (!this.content.isAheadOfRecord) await this.#checkpointer.caughtUp(signal);
  }
}
