import type { Fault } from '../../event/fault.js';
import { unlinkIfThere } from '../files/unlink-if-there.js';
import type { GroupingPlan } from '../groupings/grouping-log-plan.js';
import { storeClosing } from '../record/append-faults.js';
import type { CommittedEvent } from '../record/commits/committed-event.js';
import { Checkpointer } from './checkpoint/checkpointer.js';
import type { LoadedIndex } from './checkpoint/load-index.js';
import { writeManifest } from './checkpoint/manifest.js';
import { removeStrayGenerations } from './checkpoint/remove-strays.js';
import { WriteFailureStreak } from './checkpoint/write-failures.js';
import type { IndexContent } from './content/index-content.js';
import type { RemovalPlan } from './content/removal.js';
import { countRowsBefore, removalsOf } from './content/removed-rows.js';
import { indexUnusable, isIndexUnusable } from './documents/index-fault.js';
import { generationManifestPath, manifestPath } from './documents/index-folder.js';
import { beginGeneration, WritingGeneration } from './generation-writer.js';
import type { IndexSource } from './index-source.js';
import type { IssueIndexOptions } from './issue-index-options.js';

/** The index in the process that writes it: `replay` first, which takes in what it lacks. */
export class IssueIndex implements IndexSource {
  readonly #options: IssueIndexOptions;
  readonly #onFault: (fault: Error) => void;
  readonly #failures: WriteFailureStreak;
  #shown: WritingGeneration;
  #checkpointer: Checkpointer;
  #removalsHeld: Promise<void> | undefined;
  #unusable: Fault | undefined;

  constructor(options: IssueIndexOptions, loaded: LoadedIndex, onFault: (fault: Error) => void) {
    this.#options = options;
    this.#onFault = onFault;
    this.#failures = new WriteFailureStreak(onFault);
    const path = manifestPath(options.directory);
    this.#shown = new WritingGeneration(options, options.grouping, loaded, path, this.#failures);
    this.#checkpointer = new Checkpointer(this.#shown.writer, this.#failures, options.checkpointIntervalMs);
  }

  get content(): IndexContent {
    return this.#shown.content;
  }

  get lagEvents(): number {
    return this.#shown.lagEvents;
  }

  /** Takes one whole commit, in the order of commits; synchronous. */
  apply(events: readonly CommittedEvent[]): void {
    try {
      this.content.apply(events);
    } catch (cause) {
      // Half a commit may be counted: nothing of this may reach the disk.
      const path = manifestPath(this.#options.directory);
      void this.recover(indexUnusable(path, 'does not hold the last commit, which could not be taken in', cause));
      throw cause;
    }
    void this.#shown.writeSegments();
  }

  /** Brings the index on disk up to the last commit; rejects with the system's error. */
  async checkpoint(): Promise<void> {
    if (this.#unusable !== undefined) throw this.#unusable;
    await this.#checkpointer.checkpoint();
  }

  /**
   * Takes the events before an instant out of the index, once `writeDown` has made them durable as removed. No event before it may arrive any more.
   * False where nothing was done: the index is closed or unusable, or `isCancelled` said so. Rejects as `writeDown` does, with `INDEX_UNUSABLE`, or
   * with the system's error; then nothing is removed. The caller makes a checkpoint afterwards.
   */
  async remove(plan: RemovalPlan): Promise<boolean> {
    try {
      for (;;) {
        await this.#removalsHeld;
        const isRemoved = await this.#checkpointer.exclusively(() => this.#remove(plan));
        if (isRemoved !== 'held') return isRemoved ?? false;
      }
    } catch (error) {
      if (isIndexUnusable(error)) await this.recover(error);
      throw error;
    }
  }

  /** While no checkpoint is made, so that all documents of one know the same removals. */
  async #remove({ beforeMicros, writeDown, isCancelled }: RemovalPlan): Promise<boolean | 'held'> {
    const { content } = this;
    if (this.#unusable !== undefined || isCancelled()) return false;
    if (this.#removalsHeld !== undefined) return 'held';
    // After a crash the index either counts every event that is gone or says nothing of the removal.
    if (this.#shown.writer.manifest.cursorMicros < beforeMicros && this.lagEvents > 0)
      await this.#shown.writer.write({ seal: true });
    const rows = await countRowsBefore(content, beforeMicros, isCancelled);
    if (rows === undefined || this.#unusable !== undefined) return false;
    const { events, throughMicros } = rows;
    const totals = await writeDown({ events, throughMicros, issues: removalsOf(content, rows) });
    content.remove(rows.issues, totals);
    return true;
  }

  /** Lets removals wait until the answer is called, so that generations made meanwhile know the same ones. Rejects with `STORE_CLOSING`. */
  async holdRemovals(): Promise<() => void> {
    const release = await this.#checkpointer.exclusively(async () => {
      let letGo: () => void = () => undefined;
      this.#removalsHeld = new Promise((resolve) => {
        letGo = resolve;
      });
      return () => {
        this.#removalsHeld = undefined;
        letGo();
      };
    });
    if (release === undefined) throw this.#unusable ?? storeClosing();
    return release;
  }

  /**
   * Begins a generation that is grouped by another plan: without events, or with those of one that is kept on the disk grouped by `from`. Nobody sees it,
   * and nothing is taken into it by itself; removals must be held. Rejects with the system's error.
   */
  async beginGeneration(plan: GroupingPlan, from?: string | null): Promise<WritingGeneration> {
    const { directory, grouping } = this.#options;
    const loaded = await beginGeneration(this.#options, plan, from);
    const path = generationManifestPath(directory, loaded.manifest.generation);
    return new WritingGeneration(this.#options, { ...grouping, plan }, loaded, path, this.#failures);
  }

  /**
   * Shows a generation, once `commit` has written down that it counts; it must hold all that was applied, and have made a checkpoint. Until it answers
   * nothing may be applied. What `commit` says rejects it, and nothing is changed; afterwards nothing does. The generation from before is kept on the disk where `kept` names
   * its grouping, and is removed otherwise.
   */
  async show(next: WritingGeneration, commit: () => Promise<void>, kept: string | null | undefined): Promise<void> {
    const { directory, files } = this.#options;
    const shown = manifestPath(directory);
    const before = this.#shown;
    const checkpointer = this.#checkpointer;
    const isShown = await checkpointer.exclusively(async () => {
      if (this.#unusable !== undefined) throw this.#unusable;
      const keptPath = generationManifestPath(directory, before.writer.manifest.generation);
      await writeManifest(files, keptPath, before.writer.manifest);
      await commit();
      // A checkpoint of it that waits its turn must not be the one that is shown.
      before.writer.redirect(keptPath);
      next.writer.redirect(shown);
      this.#shown = next;
      this.#checkpointer = new Checkpointer(next.writer, this.#failures, this.#options.checkpointIntervalMs);
      return true;
    });
    if (isShown === undefined) throw storeClosing();
    await checkpointer.abandon();
    // The log names it already, and it is found by that: what fails here is made up for by the next checkpoint or the next start.
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
    // Its documents were removed because another generation is shown now.
    if (content !== this.content) return true;
    if (this.#unusable === undefined) {
      this.#unusable = fault;
      this.#onFault(fault);
      await this.#checkpointer.abandon();
      await this.#shown.writeSegments();
      try {
        // Without a manifest, it is rebuilt when the folder is next opened for writing.
        await unlinkIfThere(this.#options.files, manifestPath(this.#options.directory));
      } catch (error) {
        this.#failures.failed(error);
      }
    }
    return false;
  }

  async close(): Promise<void> {
    await this.#checkpointer.close();
  }

  /** Takes in what the record holds beyond it; rejects with `STORE_CLOSING` where `signal` ended it. */
  async replay(): Promise<void> {
    const { signal, onProgress } = this.#options;
    await this.#shown.catchUp({ signal, onProgress });
  }
}
