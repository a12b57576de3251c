import { isDeepStrictEqual } from 'node:util';
import type { ReceivedEvent } from '../../core/contract/stages.js';
import { Fault } from '../../core/event/fault.js';
import { encodeRawLine } from '../../core/event/raw-line.js';
import { beginTimeSlice } from '../../core/time-slice.js';
import { within } from '../../core/within.js';
import type { Processed } from '../component/built-in.js';
import type { Batch } from '../component/consumer.js';
import type { Event, Processor } from '../component/plugin.js';
import { readPayload } from './plugin-payload.js';

interface GuardOptions {
  /** Names the plugin in dead letters and refusals. */
  readonly name: string;
  /** Whether a batch is refused at which the plugin fails; else its events go on unchanged. */
  readonly isRefusing: boolean;
  /** How long the plugin may hold a batch. */
  readonly timeoutMs: number;
  /** Called for a batch that is refused. */
  readonly onFailure: (error: unknown) => void;
}

const CODE = /^[A-Z][A-Z0-9_]{0,63}$/;
const PROBLEMS = {
  PLUGIN_OUTCOME_INVALID: 'returned no event and no drop for it',
  PLUGIN_PAYLOAD_INVALID: 'returned a payload that is not valid',
} as const;

/** Wraps a processor of a plugin, which gets copies; invalid results are rejected. Rejects with `PLUGIN_FAILED` or `PLUGIN_TIMEOUT` (retryable). */
export function guardProcessor(processor: Processor, { name, isRefusing, timeoutMs, onFailure }: GuardOptions) {
  const rejected = (event: ReceivedEvent, code: keyof typeof PROBLEMS, detail = ''): Processed => {
    const received = event.encoded ?? encodeRawLine(event.payload);
    const reason = `${name} ${PROBLEMS[code]}${detail}`;
    return { kind: 'rejected', payload: { code, field: '', reason, received, bytes: received.length } };
  };

  const refusal = (code: string, reason: string, cause?: unknown): Fault => {
    const fault = new Fault(code, `${name} ${reason}; send the batch again later`, { cause, retryable: true });
    onFailure(cause ?? fault);
    return fault;
  };

  const processedOf = (
    event: ReceivedEvent,
    own: unknown,
    others: ReadonlySet<unknown>,
    result: unknown,
  ): Processed => {
    const { kind, as, reason, error, payload } = Object(result);
    if (kind === 'dropped' && (as === 'filtered' || as === 'sampled')) {
      return { kind, as, reason: CODE.test(reason) ? reason : 'DROPPED_BY_PLUGIN' };
    }
    if (kind === 'failed' && isRefusing) throw error;
    if (kind === 'failed') return { kind, error };
    const isOther = payload !== own && others.has(payload);
    if (payload === undefined || isOther) return rejected(event, 'PLUGIN_OUTCOME_INVALID');
    if (payload === own && isDeepStrictEqual(payload, event.payload)) return event;
    const reading = readPayload(payload);
    if (reading.ok) return { payload: reading.payload };
    return rejected(event, 'PLUGIN_PAYLOAD_INVALID', `: ${reading.rejection.field} ${reading.rejection.reason}`);
  };

  return {
    async consume({ events }: Pick<Batch, 'events'>): Promise<readonly Processed[]> {
      const slice = beginTimeSlice();
      const given: Event[] = [];
      for (const { payload } of events) {
        if (slice.isOver) await slice.next();
        given.push({ payload: structuredClone(payload) });
      }
      try {
        const work = Promise.resolve().then(() => processor.consume({ events: [...given] }));
        const answer = await within(
          timeoutMs,
          work.then((results: unknown) => ({ results })),
        );
        if (answer === undefined) throw refusal('PLUGIN_TIMEOUT', `held a batch longer than ${timeoutMs} ms`);
        const results = Array.isArray(answer.results) && answer.results.length === events.length ? answer.results : [];
        const processed: Processed[] = [];
        const payloads = new Set<unknown>(given.map(({ payload }) => payload));
        for (const [index, event] of events.entries()) {
          if (slice.isOver) await slice.next();
          processed.push(processedOf(event, given[index]?.payload, payloads, results[index]));
        }
        return processed;
      } catch (error) {
        if (error instanceof Fault && error.code === 'PLUGIN_TIMEOUT') throw error;
        if (isRefusing) throw refusal('PLUGIN_FAILED', 'failed', error);
        return events.map(() => ({ kind: 'failed', error }) as const);
      }
    },
  };
}
