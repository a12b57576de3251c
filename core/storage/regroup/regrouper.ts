import type { RegroupPreview, RegroupResult } from '../../../generated/reader-answers.js';
import { Fault } from '../../event/fault.js';
import type { GroupingSettings } from '../../fingerprint/grouping-settings.js';
import type { Closable } from '../close-all.js';
import type { IssueIndex } from '../index/issue-index.js';
import { storeClosing } from '../record/append-faults.js';
import { type PreviewSource, runPreview } from './regroup-preview.js';
import type { Regroup, RegroupOptions } from './regrouping.js';
import { type SwitchSource, switchGeneration } from './switch-generation.js';

/** The caller closes all of these. */
interface RegrouperOptions extends PreviewSource, SwitchSource {
  index: IssueIndex;
}

/** Runs regroupings, one at a time. `close` aborts the running one and is idempotent. */
export class Regrouper implements Regroup, Closable {
  readonly #options: RegrouperOptions;
  readonly #closing = new AbortController();
  #running: Promise<unknown> | undefined;

  constructor(options: RegrouperOptions) {
    this.#options = options;
  }

  preview(settings: GroupingSettings, options: RegroupOptions = {}): Promise<RegroupPreview> {
    return this.#run(options, async (signal) => {
      const draft = this.#options.groupings.draft('apply', settings);
      return await runPreview(this.#options, draft.plan, { ...options, signal });
    });
  }

  apply(settings: GroupingSettings, options: RegroupOptions = {}): Promise<RegroupResult> {
    const { groupings, index } = this.#options;
    return this.#run(options, async (signal) => {
      // Rejects invalid rules before any work.
      groupings.createGrouper(settings);
      const draft = groupings.draft('apply', settings);
      const next = await index.beginGeneration(draft.plan);
      return await switchGeneration(this.#options, next, draft, { ...options, signal });
    });
  }

  rollBack(options: RegroupOptions = {}): Promise<RegroupResult> {
    const { groupings, index } = this.#options;
    return this.#run(options, async (signal) => {
      this.assertRollBack();
      const { rollsBackTo = null } = groupings.plan;
      const draft = groupings.draft('roll_back', groupings.rollBackSettings);
      const next = await index.beginGeneration(draft.plan, rollsBackTo);
      return await switchGeneration(this.#options, next, draft, { ...options, signal });
    });
  }

  assertRollBack(): void {
    if (this.#options.groupings.plan.rollsBackTo !== undefined) return;
    const sentence = 'This folder has no regrouping to roll back: it has its original grouping.';
    throw new Fault('REGROUP_NOTHING_TO_ROLL_BACK', sentence);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running?.catch(() => undefined);
  }

  /** The signal aborts with that of the caller, and when the regrouper is closed. */
  async #run<Result>({ signal }: RegroupOptions, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    if (this.#running !== undefined) {
      const sentence = 'A regrouping is running, and only one can run at a time. Wait for it or abort it.';
      throw new Fault('REGROUP_RUNNING', sentence, { retryable: true });
    }
    const closing = this.#closing.signal;
    const running = this.#withoutRemovals(() =>
      work(signal === undefined ? closing : AbortSignal.any([signal, closing])),
    );
    this.#running = running;
    try {
      return await running;
    } catch (error) {
      if (closing.aborted) throw storeClosing();
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
