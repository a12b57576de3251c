import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { Fault } from '../../core/event/fault.js';
import { createGrouper } from '../../core/fingerprint/grouper.js';
import type { EventStore } from '../../core/storage/event-store.js';
import {
  type Decision,
  describeGrouping,
  type GroupingChoice,
  type RegroupOptions,
  resolveGroupingChoice,
} from '../../core/storage/regroup/regrouping.js';
import type {
  ChosenGrouping,
  DecidedSuggestion,
  RegroupJob,
  RegroupKind,
  RegroupPreview,
  RegroupResult,
} from '../../generated/reader-answers.js';
import { toFault } from '../http/messages/problem.js';

interface RegroupJobsOptions {
  readonly store: () => Pick<EventStore, 'regroup' | 'grouper' | 'decisions'>;
  readonly logger: Logger;
}

const IDLE: RegroupJob = {
  state: 'idle',
  id: null,
  kind: null,
  started_at: null,
  ended_at: null,
  progress: null,
  grouping: null,
  result: null,
  error: null,
};

type Work = (options: RegroupOptions) => Promise<RegroupPreview | RegroupResult>;

/** Regroupings that run in the background, one at a time; the last one is remembered. `close` cancels the running one. */
export class RegroupJobs {
  readonly #options: RegroupJobsOptions;
  last: RegroupJob = IDLE;
  #running: { readonly abort: AbortController; readonly ended: Promise<void> } | undefined;
  #isClosed = false;

  constructor(options: RegroupJobsOptions) {
    this.#options = options;
  }

  /** Starts a regrouping. Throws `REGROUP_RUNNING`, `REGROUP_NOTHING_TO_ROLL_BACK`, `GROUPING_INVALID` or `COLLECTOR_STOPPING`. */
  start(kind: RegroupKind, choice: GroupingChoice): RegroupJob {
    this.#assertIdle();
    const { work, grouping } = this.#plan(kind, choice);
    return this.#begin(kind, work, grouping);
  }

  /** Decides about a suggestion; starts a regrouping if it has to. Throws also `SUGGESTION_NOT_FOUND`. */
  async decide(id: string, decision: Decision, by: string | null): Promise<DecidedSuggestion | RegroupJob> {
    const planned = await this.#options.store().decisions.plan(id, decision, by);
    return typeof planned === 'function' ? this.#begin('apply', planned) : planned;
  }

  /** Starts a regrouping that accepts all suggestions, if there are any and none runs. */
  async acceptAll(by: string): Promise<void> {
    if (this.#running !== undefined) return;
    const work = await this.#options.store().decisions.planAll(by);
    if (work !== undefined) this.#begin('apply', work);
  }

  #assertIdle(): void {
    if (this.#isClosed) throw new Fault('COLLECTOR_STOPPING', 'the collector is stopping', { retryable: true });
    if (this.#running === undefined) return;
    const sentence = `a regrouping (${this.last.kind}) is running since ${this.last.started_at}, and only one can run at a time: wait for it, or cancel it with DELETE`;
    throw new Fault('REGROUP_RUNNING', sentence, { retryable: true });
  }

  #begin(kind: RegroupKind, work: Work, grouping: ChosenGrouping | null = null): RegroupJob {
    this.#assertIdle();
    const abort = new AbortController();
    this.last = {
      ...IDLE,
      state: 'running',
      id: randomUUID(),
      kind,
      started_at: new Date().toISOString(),
      progress: { done_events: 0, total_events: 0 },
      grouping,
    };
    this.#running = { abort, ended: this.#run(work, abort.signal) };
    return this.last;
  }

  /** Cancels the running regrouping, which ends a little later. */
  cancel(): RegroupJob {
    this.#running?.abort.abort();
    return this.last;
  }

  /** Refuses new regroupings; resolves when none runs. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.cancel();
    await this.#running?.ended;
  }

  /** Validates before the job starts. */
  #plan(kind: RegroupKind, choice: GroupingChoice): { work: Work; grouping: ChosenGrouping | null } {
    const { regroup, grouper } = this.#options.store();
    if (kind === 'roll_back') {
      regroup.assertRollBack();
      return { work: (options) => regroup.rollBack(options), grouping: null };
    }
    const settings = resolveGroupingChoice(choice, grouper.settings);
    createGrouper(settings);
    const work: Work = (options) => regroup[kind](settings, options);
    return { work, grouping: describeGrouping(settings, grouper.settings) };
  }

  async #run(work: Work, signal: AbortSignal): Promise<void> {
    const { logger } = this.#options;
    const { id, kind } = this.last;
    logger.info({ job: id, kind }, 'regrouping');
    const onProgress: RegroupOptions['onProgress'] = ({ doneEvents, totalEvents }) => {
      this.last = { ...this.last, progress: { done_events: doneEvents, total_events: totalEvents } };
    };
    try {
      this.#end({ state: 'done', result: await work({ onProgress, signal }) });
    } catch (error) {
      if (signal.aborted) this.#end({ state: 'cancelled' });
      else {
        const { code, message: detail } = toFault(error);
        logger.error({ job: id, kind, err: error }, 'the regrouping failed');
        this.#end({ state: 'failed', error: { code, detail } });
      }
    }
    logger.info({ job: id, kind, state: this.last.state }, 'regrouping ended');
  }

  #end(changes: Pick<RegroupJob, 'state'> & Partial<Pick<RegroupJob, 'result' | 'error'>>): void {
    this.last = { ...this.last, ...changes, ended_at: new Date().toISOString() };
    this.#running = undefined;
  }
}
