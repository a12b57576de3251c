import { Fault } from '../../event/fault.js';
import type { IssueIndex } from '../index/issue-index.js';
import { storeClosing } from '../record/append-faults.js';
import { type PreviewSource, runPreview } from './regroup-preview.js';
import type { Regroup, RegroupOptions } from './regrouping.js';
import { type SwitchSource, switchGeneration } from './switch-generation.js';

/** The caller closes all of these. */
interface RegrouperOptions extends PreviewSource, SwitchSource {
  index: IssueIndex;
}

/** Runs regroupings. `close` aborts the running one and is idempotent. */
export class Regrouper implements Regroup {
  readonly #options: RegrouperOptions;
  readonly #closing = new AbortController();
  #running: Promise<unknown> | undefined;

  constructor(options: RegrouperOptions) {
    this.#options = options;
  }

  preview: Regroup['preview'] = (settings, options = {}) =>
    this.#run(options, async (signal) => {
      const { groupings } = this.#options;
      const draft = groupings.draft('apply', settings);
      return await runPreview(this.#options, draft.plan, { ...options, signal });
    });

  apply: Regroup['apply'] = (settings, options = {}) =>
    this.#run(options, async (signal) => {
      const { groupings, index } = this.#options;
      // Rejects invalid rules before any work.
      groupings.createGrouper(settings);
      const draft = groupings.draft('apply', settings);
      const next = await index.beginGeneration(draft.plan);
      return await switchGeneration(this.#options, next, draft, { ...options, signal });
    });

  rollBack: Regroup['rollBack'] = (options = {}) =>
    this.#run(options, async (signal) => {
      const { groupings, index } = this.#options;
      this.assertRollBack();
      const { rollsBackTo = null } = groupings.plan;
      const draft = groupings.draft('roll_back', groupings.rollBackSettings);
      const kept = await index.beginGeneration(draft.plan, rollsBackTo);
      return await switchGeneration(this.#options, kept, draft, { ...options, signal });
    });

  assertRollBack(): void {
    if (this.#options.groupings.plan.rollsBackTo === undefined) {
      const sentence = 'This folder has no regrouping to roll back: it has its original grouping.';
      throw new Fault('REGROUP_NOTHING_TO_ROLL_BACK', sentence);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running?.catch(() => undefined);
  }

  async #run<Result>({ signal }: RegroupOptions, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    if (this.#running !== undefined) {
      const sentence = 'A regrouping is running, and only one can run at a time. Wait for it or abort it.';
      throw new Fault('REGROUP_RUNNING', sentence, { retryable: true });
    }
    const ended = signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]);
    const running = this.#withoutRemovals(() => work(ended));
    this.#running = running;
    try {
      return await running;
    } catch (error) {
      if (this.#closing.signal.aborted) throw storeClosing();
      signal?.throwIfAborted();
      throw error;
    } finally {
      this.#running = undefined;
    }
  }

  async #withoutRemovals<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#closing.signal.aborted) throw storeClosing();
    const release = await this.#options.index.holdRemovals();
    try {
      return await work();
    } finally {
      release();
    }
  }
}
