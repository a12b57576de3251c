import { setTimeout as delay } from 'node:timers/promises';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { Fault } from '../../../core/event/fault.js';
import type { RegroupOptions } from '../../../core/storage/regroup/regroup.js';
import type { GroupingChoice, Regrouping } from '../../../core/storage/regroup/regrouping.js';
import { isRegroupJob, isRegroupPreview, isRegroupResult } from '../../../generated/answer-checks.js';
import type { ChosenGrouping } from '../../../generated/reader-answers.js';
import { API, parseCollectorUrl } from '../../preferences/collector-url.js';
import { answerInvalid, checkAnswer, type JsonAnswer, problemFault } from './answer-fault.js';
import type { CollectorToken } from './collector-token.js';
import { createJsonClient } from './json-client.js';

/** Between two looks at how far a regrouping is. */
const POLL_MS = 200;
const PATH = `${API}/regroup`;

/**
 * Lets the collector at an address regroup, over its reading API. Throws Fault `URL_INVALID`; the first call connects. `REGROUP_LOST` where it forgets what it was asked for.
 * `answers` says whether a collector answers, and throws as the other calls do where something else does.
 */
export function createHttpRegrouping(url: string, token: CollectorToken): Regrouping & { answers(): Promise<boolean> } {
  const base = parseCollectorUrl(url);
  const client = createJsonClient({ base, token });

  function checked<T>(answer: JsonAnswer, check: ValidateFunction<T>): T {
    if (answer.status !== 200 && answer.status !== 202) throw problemFault(answer, base.origin);
    return checkAnswer(answer.body, check, base.origin);
  }

  async function run<Result>(
    kind: 'preview' | 'apply' | 'roll_back',
    choice: GroupingChoice,
    check: ValidateFunction<Result>,
    { onProgress, signal }: RegroupOptions = {},
  ): Promise<{ grouping: ChosenGrouping | null; result: Result }> {
    signal?.throwIfAborted();
    let job = checked(await client.post(`${PATH}/${kind}`, choice), isRegroupJob);
    const { id } = job;
    let isCalledOff = false;
    while (job.state === 'running') {
      if (signal?.aborted === true && !isCalledOff) {
        isCalledOff = true;
        checked(await client.delete(PATH), isRegroupJob);
      }
      // Once it is called off there is nothing that would end the wait.
      await delay(POLL_MS, undefined, isCalledOff || signal === undefined ? {} : { signal }).catch(() => undefined);
      job = checked(await client.get(PATH), isRegroupJob);
      if (job.id !== id) throw lost(base.origin);
      if (job.progress !== null) {
        onProgress?.({ doneEvents: job.progress.done_events, totalEvents: job.progress.total_events });
      }
    }
    if (job.state === 'done') return { grouping: job.grouping, result: checkAnswer(job.result, check, base.origin) };
    if (job.state === 'cancelled') {
      signal?.throwIfAborted();
      throw new Fault('REGROUP_CANCELLED', 'Somebody else called the regrouping off; everything is as it was.');
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
    if (grouping === null) throw answerInvalid(base.origin, '/grouping is not an object');
    return { grouping, result };
  }

  return {
    ownRules: "the collector's own configuration",
    preview: (choice, options) => grouped('preview', choice, isRegroupPreview, options),
    apply: (choice, options) => grouped('apply', choice, isRegroupResult, options),
    rollBack: async (options) => (await run('roll_back', {}, isRegroupResult, options)).result,
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

function lost(where: string): Fault {
  const sentence = `The collector at ${where} was started anew or regroups for somebody else; look at ${PATH} there for what became of it.`;
  return new Fault('REGROUP_LOST', sentence);
}
