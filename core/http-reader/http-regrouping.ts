import { setTimeout as delay } from 'node:timers/promises';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { isDecidedSuggestion, isRegroupJob, isRegroupPreview, isRegroupResult } from '../../generated/answer-checks.js';
import type { ChosenGrouping, RegroupJob, RegroupPreview, RegroupResult } from '../../generated/reader-answers.js';
import { Fault } from '../event/fault.js';
import type {
  Decision,
  GroupingChoice,
  Regrouping,
  RegroupOptions,
  RegroupOutcome,
} from '../storage/regroup/regrouping.js';
import type { CollectorToken } from './collector-token.js';
import { parseCollectorUrl } from './collector-url.js';
import { API, JsonClient } from './json-client.js';
import { answerOf, checkResponse, invalidResponse, type JsonResponse } from './response-faults.js';

const POLL_MS = 200;
const PATH = `${API}/regroup`;

const STARTED_OR_DONE = [200, 202];

interface JobOutcome<Result> {
  /** Null for a rollback. */
  readonly grouping: ChosenGrouping | null;
  readonly result: Result;
}

/** Regroups over HTTP. The constructor throws `URL_INVALID`, calls throw `REGROUP_LOST` if the collector restarts. */
export class HttpRegrouping implements Regrouping {
  readonly defaultRulesSource = "the collector's own configuration";
  readonly #origin: string;
  readonly #client: JsonClient;

  constructor(url: string, token?: CollectorToken) {
    const base = parseCollectorUrl(url);
    this.#origin = base.origin;
    this.#client = new JsonClient({ base, token });
  }

  async preview(choice: GroupingChoice, options?: RegroupOptions): Promise<RegroupOutcome<RegroupPreview>> {
    return this.#grouped(await this.#run('preview', choice, isRegroupPreview, options));
  }

  async apply(choice: GroupingChoice, options?: RegroupOptions): Promise<RegroupOutcome<RegroupResult>> {
    return this.#grouped(await this.#run('apply', choice, isRegroupResult, options));
  }

  async rollBack(options?: RegroupOptions): Promise<RegroupResult> {
    return (await this.#run('roll_back', {}, isRegroupResult, options)).result;
  }

  async decide(
    id: string,
    decision: Decision,
    { by = null, ...options }: RegroupOptions & { by?: string | null } = {},
  ): Promise<RegroupResult | null> {
    options.signal?.throwIfAborted();
    const path = `${API}/suggestions/${encodeURIComponent(id)}/${decision}`;
    const response = await this.#client.post(path, { by });
    if (response.status !== 200) return (await this.#follow(response, isRegroupResult, options)).result;
    this.#answerOf(response, isDecidedSuggestion);
    return null;
  }

  /** Whether a collector responds; throws if another program does. */
  async answers(): Promise<boolean> {
    try {
      this.#answerOf(await this.#client.get(PATH), isRegroupJob);
      return true;
    } catch (error) {
      if (error instanceof Fault && error.code === 'COLLECTOR_UNREACHABLE') return false;
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#client.close();
  }

  async #run<Result>(
    kind: 'preview' | 'apply' | 'roll_back',
    choice: GroupingChoice,
    check: ValidateFunction<Result>,
    options: RegroupOptions = {},
  ): Promise<JobOutcome<Result>> {
    options.signal?.throwIfAborted();
    return await this.#follow(await this.#client.post(`${PATH}/${kind}`, choice), check, options);
  }

  /** Polls a started job until it ends. */
  async #follow<Result>(
    started: JsonResponse,
    check: ValidateFunction<Result>,
    { onProgress, signal }: RegroupOptions,
  ): Promise<JobOutcome<Result>> {
    let job = this.#answerOf(started, isRegroupJob);
    const { id } = job;
    let isCancelled = false;
    while (job.state === 'running') {
      if (signal?.aborted === true && !isCancelled) {
        isCancelled = true;
        this.#answerOf(await this.#client.delete(PATH), isRegroupJob);
      }
      // After cancellation the signal is already aborted, so the delay runs without it.
      await delay(POLL_MS, undefined, isCancelled || signal === undefined ? {} : { signal }).catch(() => undefined);
      job = this.#answerOf(await this.#client.get(PATH), isRegroupJob);
      if (job.id !== id) throw jobLost(this.#origin);
      const { progress } = job;
      if (progress !== null) onProgress?.({ doneEvents: progress.done_events, totalEvents: progress.total_events });
    }
    return this.#outcomeOf(job, check, signal);
  }

  #outcomeOf<Result>(
    job: RegroupJob,
    check: ValidateFunction<Result>,
    signal: AbortSignal | undefined,
  ): JobOutcome<Result> {
    if (job.state === 'done') {
      return { grouping: job.grouping, result: checkResponse(job.result, check, this.#origin) };
    }
    if (job.state === 'cancelled') {
      signal?.throwIfAborted();
      throw new Fault('REGROUP_CANCELLED', 'The regrouping was cancelled by someone else; nothing was changed.');
    }
    throw new Fault(job.error?.code ?? 'REGROUP_LOST', job.error?.detail ?? 'The regrouping failed.');
  }

  #grouped<Result>({ grouping, result }: JobOutcome<Result>): RegroupOutcome<Result> {
    if (grouping === null) throw invalidResponse(this.#origin, '/grouping is not an object');
    return { grouping, result };
  }

  #answerOf<T>(response: JsonResponse, check: ValidateFunction<T>): T {
    return answerOf(response, check, this.#origin, STARTED_OR_DONE);
  }
}

function jobLost(where: string): Fault {
  const sentence = `The collector at ${where} restarted or runs another regrouping; see ${PATH} there for its state.`;
  return new Fault('REGROUP_LOST', sentence);
}
