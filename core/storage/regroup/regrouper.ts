import { Fault } from '../../event/fault.js';
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

/** Creates functions that run regroupings. `close` aborts the running one and is idempotent. */
export function createRegrouper(options: RegrouperOptions): Regroup & Closable {
  const { groupings, index } = options;
  const closing = new AbortController();
  let running: Promise<unknown> | undefined;

  async function run<Result>({ signal }: RegroupOptions, work: (signal: AbortSignal) => Promise<Result>) {
    if (running !== undefined) {
      const sentence = 'A regrouping is running, and only one can run at a time. Wait for it or abort it.';
      throw new Fault('REGROUP_RUNNING', sentence, { retryable: true });
    }
    const ended = signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal]);
    const result = withoutRemovals(() => work(ended));
    running = result;
    try {
      return await result;
    } catch (error) {
      if (closing.signal.aborted) throw storeClosing();
      signal?.throwIfAborted();
      throw error;
    } finally {
      running = undefined;
    }
  }

  async function withoutRemovals<Result>(work: () => Promise<Result>): Promise<Result> {
    if (closing.signal.aborted) throw storeClosing();
    const release = await index.holdRemovals();
    try {
      return await work();
    } finally {
      release();
    }
  }

  function assertRollBack(): void {
    if (groupings.plan.rollsBackTo === undefined) {
      const sentence = 'This folder has no regrouping to roll back: it has its original grouping.';
      throw new Fault('REGROUP_NOTHING_TO_ROLL_BACK', sentence);
    }
  }

  return {
    preview: (settings, more = {}) =>
      run(more, async (signal) => {
        const draft = groupings.draft('apply', settings);
        return await runPreview(options, draft.plan, { ...more, signal });
      }),
    apply: (settings, more = {}) =>
      run(more, async (signal) => {
        // Rejects invalid rules before any work.
        groupings.createGrouper(settings);
        const draft = groupings.draft('apply', settings);
        const next = await index.beginGeneration(draft.plan);
        return await switchGeneration(options, next, draft, { ...more, signal });
      }),
    rollBack: (more = {}) =>
      run(more, async (signal) => {
        assertRollBack();
        const { rollsBackTo = null } = groupings.plan;
        const draft = groupings.draft('roll_back', groupings.rollBackSettings);
        const kept = await index.beginGeneration(draft.plan, rollsBackTo);
        return await switchGeneration(options, kept, draft, { ...more, signal });
      }),
    assertRollBack,
    async close() {
      closing.abort();
      await running?.catch(() => undefined);
    },
  };
}
