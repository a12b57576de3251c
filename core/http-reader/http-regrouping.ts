import { setTimeout as delay } from 'node:timers/promises';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { isDecidedSuggestion, isRegroupJob, isRegroupPreview, isRegroupResult } from '../../generated/answer-checks.js';
import type { ChosenGrouping } from '../../generated/reader-answers.js';
import { Fault } from '../event/fault.js';
import type { GroupingChoice, Regrouping, RegroupOptions } from '../storage/regroup/regrouping.js';
import type { CollectorToken } from './collector-token.js';
import { parseCollectorUrl } from './collector-url.js';
import { API, createJsonClient } from './json-client.js';
import { checkResponse, invalidResponse, type JsonResponse, problemFault } from './response-faults.js';

const POLL_MS = 200;
const PATH = `${API}/regroup`;

/** Regroups over HTTP; throws `URL_INVALID`, later `REGROUP_LOST` if the collector restarts; `answers` throws if another program responds. */
export function createHttpRegrouping(
  url: string,
  token?: CollectorToken,
): Regrouping & { answers(): Promise<boolean> } {
  const base = parseCollectorUrl(url);
  const client = createJsonClient({ base, token });

  function checked<T>(response: JsonResponse, check: ValidateFunction<T>): T {
    if (response.status !== 200 && response.status !== 202) throw problemFault(response, base.origin);
    return checkResponse(response.body, check, base.origin);
  }

  async function run<Result>(
    kind: 'preview' | 'apply' | 'roll_back',
    choice: GroupingChoice,
    check: ValidateFunction<Result>,
    options: RegroupOptions = {},
  ): Promise<{ grouping: ChosenGrouping | null; result: Result }> {
    options.signal?.throwIfAborted();
    return await follow(await client.post(`${PATH}/${kind}`, choice), check, options);
  }

  async function follow<Result>(
    started: JsonResponse,
    check: ValidateFunction<Result>,
    { onProgress, signal }: RegroupOptions,
  ): Promise<{ grouping: ChosenGrouping | null; result: Result }> {
    let job = checked(started, isRegroupJob);
    const { id } = job;
    let isCancelled = false;
    while (job.state === 'running') {
      if (signal?.aborted === true && !isCancelled) {
        isCancelled = true;
        checked(await client.delete(PATH), isRegroupJob);
      }
      // After cancellation the signal is already aborted, so the delay runs without it.
      await delay(POLL_MS, undefined, isCancelled || signal === undefined ? {} : { signal }).catch(() => undefined);
      job = checked(await client.get(PATH), isRegroupJob);
      if (job.id !== id) throw jobLost(base.origin);
      if (job.progress !== null) {
        onProgress?.({ doneEvents: job.progress.done_events, totalEvents: job.progress.total_events });
      }
    }
    if (job.state === 'done') return { grouping: job.grouping, result: checkResponse(job.result, check, base.origin) };
    if (job.state === 'cancelled') {
      signal?.throwIfAborted();
      throw new Fault('REGROUP_CANCELLED', 'The regrouping was cancelled by someone else; nothing was changed.');
    }
    throw new Fault(job.error?.code ?? 'REGROUP_LOST', job.error?.detail ?? 'The regrouping failed.');
  }

  async function grouped<Result>(
    kind: 'preview' | 'apply',
    choice: GroupingChoice,
    check: ValidateFunction<Result>,
    options?: RegroupOptions,
  ): Promise<{ grouping: ChosenGrouping; result: Result }> {
    const { grouping, result } = await run(kind, choice, check, options);
    if (grouping === null) throw invalidResponse(base.origin, '/grouping is not an object');
    return { grouping, result };
  }

  return {
    defaultRulesSource: "the collector's own configuration",
    preview: (choice, options) => grouped('preview', choice, isRegroupPreview, options),
    apply: (choice, options) => grouped('apply', choice, isRegroupResult, options),
    rollBack: async (options) => (await run('roll_back', {}, isRegroupResult, options)).result,
    async decide(id, decision, { by = null, ...options } = {}) {
      options.signal?.throwIfAborted();
      const path = `${API}/suggestions/${encodeURIComponent(id)}/${decision}`;
      const response = await client.post(path, { by });
      if (response.status !== 200) return (await follow(response, isRegroupResult, options)).result;
      checked(response, isDecidedSuggestion);
      return null;
    },
    async answers() {
      try {
        checked(await client.get(PATH), isRegroupJob);
        return true;
      } catch (error) {
        if (error instanceof Fault && error.code === 'COLLECTOR_UNREACHABLE') return false;
        throw error;
      }
    },
    async close() {
      client.close();
    },
  };
}

function jobLost(where: string): Fault {
  const sentence = `The collector at ${where} restarted or runs another regrouping; see ${PATH} there for its state.`;
  return new Fault('REGROUP_LOST', sentence);
}
