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

/** Takes batches in place of a plugin's processor. */
interface GuardedProcessor {
  consume(batch: Pick<Batch, 'events'>): Promise<readonly Processed[]>;
}

/** Wraps a processor of a plugin, which gets copies; invalid results are rejected. Rejects with `PLUGIN_FAILED` or `PLUGIN_TIMEOUT` (retryable). */
export function guardProcessor(processor: Processor, options: GuardOptions): GuardedProcessor {
  const { name, isRefusing, timeoutMs, onFailure } = options;

  const refusal = (code: string, reason: string, cause?: unknown): Fault => {
    const fault = new Fault(code, `${name} ${reason}; send the batch again later`, { cause, retryable: true });
    onFailure(cause ?? fault);
    return fault;
  };

  /** Resolves with one result per copy, undefined where the plugin returned none. */
  const resultsOf = async (copies: readonly Event[]): Promise<readonly unknown[]> => {
    const work = Promise.resolve().then(() => processor.consume({ events: [...copies] }));
    const answer = await within(
      timeoutMs,
      work.then((results: unknown) => ({ results })),
    );
    if (answer === undefined) throw refusal('PLUGIN_TIMEOUT', `held a batch longer than ${timeoutMs} ms`);
    const { results } = answer;
    return Array.isArray(results) && results.length === copies.length ? results : copies.map(() => undefined);
  };

  return {
    async consume({ events }) {
      const copies = await copiesOf(events);
      try {
        return await readResults(events, copies, await resultsOf(copies), options);
      } catch (error) {
        if (error instanceof Fault && error.code === 'PLUGIN_TIMEOUT') throw error;
        if (isRefusing) throw refusal('PLUGIN_FAILED', 'failed', error);
        return events.map(() => ({ kind: 'failed', error }) as const);
      }
    },
  };
}

async function copiesOf(events: readonly ReceivedEvent[]): Promise<readonly Event[]> {
  const slice = beginTimeSlice();
  const copies: Event[] = [];
  for (const { payload } of events) {
    if (slice.isOver) await slice.next();
    copies.push({ payload: structuredClone(payload) });
  }
  return copies;
}

/** Checks what a plugin returned for each event. */
async function readResults(
  events: readonly ReceivedEvent[],
  copies: readonly Event[],
  results: readonly unknown[],
  options: GuardOptions,
): Promise<readonly Processed[]> {
  const slice = beginTimeSlice();
  const payloads = new Set<unknown>(copies.map(({ payload }) => payload));
  const processed: Processed[] = [];
  for (const [index, event] of events.entries()) {
    if (slice.isOver) await slice.next();
    const copy = copies[index]?.payload;
    processed.push(readDrop(results[index], options) ?? readEvent(event, copy, payloads, results[index], options.name));
  }
  return processed;
}

/** Reads a drop or a failure; undefined: the result is neither. Throws the error of a failed event if the batch is to be refused. */
function readDrop(result: unknown, { isRefusing }: GuardOptions): Processed | undefined {
  const { kind, as, reason, error } = Object(result);
  if (kind === 'dropped' && (as === 'filtered' || as === 'sampled')) {
    return { kind, as, reason: CODE.test(reason) ? reason : 'DROPPED_BY_PLUGIN' };
  }
  if (kind !== 'failed') return undefined;
  if (isRefusing) throw error;
  return { kind, error };
}

/** Reads the event that a plugin returned for `event`, of which it got `copy`; `copies` are those of the whole batch. */
function readEvent(
  event: ReceivedEvent,
  copy: unknown,
  copies: ReadonlySet<unknown>,
  result: unknown,
  name: string,
): Processed {
  const { payload } = Object(result);
  const isOfOther = payload !== copy && copies.has(payload);
  if (payload === undefined || isOfOther) return rejected(event, 'PLUGIN_OUTCOME_INVALID', name);
  if (payload === copy && isDeepStrictEqual(payload, event.payload)) return event;
  const reading = readPayload(payload);
  if (reading.ok) return { payload: reading.payload };
  const { field, reason } = reading.rejection;
  return rejected(event, 'PLUGIN_PAYLOAD_INVALID', name, `: ${field} ${reason}`);
}

function rejected(event: ReceivedEvent, code: keyof typeof PROBLEMS, name: string, detail = ''): Processed {
  const received = event.encoded ?? encodeRawLine(event.payload);
  const reason = `${name} ${PROBLEMS[code]}${detail}`;
  return { kind: 'rejected', payload: { code, field: '', reason, received, bytes: received.length } };
}
