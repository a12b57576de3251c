import type { Fault } from '../../event/fault.js';
import type { CommittedEvent } from '../committed-event.js';
import { unlinkIfThere } from '../files/unlink-if-there.js';
import { storeClosing } from '../record/append-faults.js';
import { beginGeneration } from './begin-generation.js';
import { Checkpointer } from './checkpointer.js';
import type { IndexGrouping } from './event-groupers.js';
import { FailureRow } from './failure-row.js';
import type { IndexContent } from './index-content.js';
import { indexUnusable, isIndexUnusable } from './index-fault.js';
import { generationManifestPath, manifestPath } from './index-folder.js';
import type { IssueIndex, IssueIndexOptions, NextGeneration } from './issue-index.js';
import type { LoadedIndex } from './load-index.js';
import { writeManifest } from './manifest.js';
import type { RemovalPlan } from './removal.js';
import { removeStrayGenerations } from './remove-strays.js';
import { countRowsBefore, removalsOf } from './removed-rows.js';
import { WritingGeneration } from './writing-generation.js';

const CHECKPOINT_INTERVAL_MS = 5_000;

/** The index while its one writer has it open: `replay` first, which takes in what it lacks. */
export class WritingIndex implements IssueIndex {
  readonly #options: IssueIndexOptions;
  readonly #onFault: (fault: Error) => void;
  readonly #failures: FailureRow;
  #shown: WritingGeneration;
  #checkpointer: Checkpointer;
  #removalsHeld: Promise<void> | undefined;
  #unusable: Fault | undefined;

  constructor(options: IssueIndexOptions, loaded: LoadedIndex, onFault: (fault: Error) => void) {
    this.#options = options;
    this.#onFault = onFault;
    this.#failures = new FailureRow(onFault);
    this.#shown = this.#generation(loaded, options.grouping, manifestPath(options.directory));
    this.#checkpointer = this.#createCheckpointer(this.#shown);
  }

  get content(): IndexContent {
    return this.#shown.content;
  }

  get lagEvents(): number {
    return this.#shown.lagEvents;
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
    void this.#shown.writeSegments();
  }

  async checkpoint(): Promise<void> {
    if (this.#unusable !== undefined) throw this.#unusable;
    await this.#checkpointer.checkpoint();
  }

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
    // Whoever loads the index after a crash finds every event that is gone counted in it, or nothing of the removal written down.
    if (this.#shown.manifest.cursorMicros < beforeMicros && this.lagEvents > 0) await this.#shown.write({ seal: true });
    const rows = await countRowsBefore(content, beforeMicros, isCancelled);
    if (rows === undefined || this.#unusable !== undefined) return false;
    const { events, throughMicros } = rows;
    const totals = await writeDown({ events, throughMicros, issues: removalsOf(content, rows) });
    content.remove(rows.issues, totals);
    return true;
  }

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

  async beginGeneration(next: NextGeneration): Promise<WritingGeneration> {
    const { directory, grouping } = this.#options;
    const loaded = await beginGeneration(this.#options, next);
    const path = generationManifestPath(directory, loaded.manifest.generation);
    return this.#generation(loaded, { ...grouping, plan: next.plan }, path);
  }

  async show(next: WritingGeneration, commit: () => Promise<void>, kept: string | null | undefined): Promise<void> {
    const { directory, files } = this.#options;
    const shown = manifestPath(directory);
    const before = this.#shown;
    const checkpointer = this.#checkpointer;
    const isShown = await checkpointer.exclusively(async () => {
      if (this.#unusable !== undefined) throw this.#unusable;
      const keptPath = generationManifestPath(directory, before.manifest.generation);
      await writeManifest(files, keptPath, before.manifest);
      await commit();
      // A checkpoint of it that waits its turn must not be the one that is shown.
      before.redirect(keptPath);
      next.redirect(shown);
      this.#shown = next;
      this.#checkpointer = this.#createCheckpointer(next);
      return true;
    });
    if (isShown === undefined) throw storeClosing();
    await checkpointer.abandon();
    // The log names it already, and it is found by that: what fails here is made up for by the next checkpoint or the next start.
    await this.#checkpointer.exclusively(async () => {
      try {
        await next.publish();
        await removeStrayGenerations(files, directory, { shown: next.manifest.generation, kept });
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

  #generation(loaded: LoadedIndex, grouping: IndexGrouping, path: string): WritingGeneration {
    const { directory: root, files, record, beforeManifest = async () => {} } = this.#options;
    const { knownActions = () => undefined } = this.#options;
    return new WritingGeneration({
      root,
      files,
      record,
      grouping,
      loaded,
      manifestPath: path,
      beforeManifest,
      knownActions,
      failures: this.#failures,
      onFault: this.#onFault,
    });
  }

  #createCheckpointer(generation: WritingGeneration): Checkpointer {
    return new Checkpointer({
      intervalMs: this.#options.checkpointIntervalMs ?? CHECKPOINT_INTERVAL_MS,
      cost: () => generation.cost(),
      write: (how) => generation.write(how),
      failures: this.#failures,
    });
  }
}
