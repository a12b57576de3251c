import type { Logger } from 'pino';
import { MAX_SAMPLED } from '../../../core/event/raw-payload.js';
import { type Consumer, MAX_BATCH_BYTES, MAX_BATCH_EVENTS } from '../../component/consumer.js';
import { toFault } from '../../http/messages/problem.js';
import type { Counter } from '../../telemetry/meters.js';
import { type SampledOut, type SampledOutEvents, withSampledCount } from './sampled-out-events.js';

type Waiting = readonly [key: string, sampledOut: SampledOut];

/** Forwards held events as summaries, one run at a time; after a retryable refusal the rest waits for the next `flush`. */
export function createSummaries(sampledOut: SampledOutEvents, consumer: Consumer, outgoing: Counter, logger: Logger) {
  let running: Promise<void> | undefined;
  let isRefused = false;
  let isEnded = false;

  /** Forwards what has waited since `beforeMs` or longer. Never rejects. */
  function flush(beforeMs: number): Promise<void> {
    isRefused = false;
    return flushSoon(beforeMs);
  }

  /** The same, unless the pipeline refused since the last `flush`; joins a running flush. */
  function flushSoon(beforeMs: number): Promise<void> {
    if (running !== undefined) return running;
    if (isRefused || isEnded) return Promise.resolve();
    const due = sampledOut.removeOlderThan(beforeMs);
    if (due.length === 0) return Promise.resolve();
    running = run(due).finally(() => {
      running = undefined;
    });
    return running;
  }

  /** Forwards nothing more. */
  function end(): void {
    isEnded = true;
  }

  async function run(due: readonly Waiting[]): Promise<void> {
    for (const portion of portionsOf(due)) {
      if (isRefused || isEnded) putBack(portion);
      else await forward(portion);
    }
  }

  async function forward(portion: readonly Waiting[]): Promise<void> {
    const [first] = portion;
    if (first === undefined) return;
    try {
      const { receiver } = first[1];
      const events = portion.map(([, one]) => ({ payload: withSampledCount(one.held, countedBy(one) - 1) }));
      await consumer.consume({ receiver, events });
      for (const [key, one] of portion) sampledOut.settle(key, one, countedBy(one));
      outgoing.add(portion.length);
    } catch (error) {
      const fault = toFault(error);
      isRefused = fault.retryable;
      if (fault.retryable) putBack(portion);
      else if (portion.length > 1) await forwardEach(portion);
      else {
        const [key, one] = first;
        sampledOut.settle(key, one, one.events);
        logger.error(
          { err: fault, events: one.events },
          'a summary was refused permanently: its events are not counted',
        );
      }
    }
  }

  /** One event that is refused permanently must not affect the others. */
  async function forwardEach(portion: readonly Waiting[]): Promise<void> {
    for (const one of portion) {
      if (isRefused || isEnded) putBack([one]);
      else await forward([one]);
    }
  }

  function putBack(portion: readonly Waiting[]): void {
    for (const [key, one] of portion) sampledOut.putBack(key, one);
  }

  return { flush, flushSoon, end };
}

function countedBy({ events }: SampledOut): number {
  return Math.min(events, 1 + MAX_SAMPLED);
}

function* portionsOf(due: readonly Waiting[]): Generator<Waiting[]> {
  const byReceiver = new Map<string, Waiting[]>();
  for (const one of due) {
    const { receiver } = one[1];
    const others = byReceiver.get(receiver) ?? [];
    byReceiver.set(receiver, others);
    others.push(one);
  }
  for (const ofReceiver of byReceiver.values()) {
    let portion: Waiting[] = [];
    let size = 0;
    for (const one of ofReceiver) {
      portion.push(one);
      size += one[1].size;
      if (portion.length < MAX_BATCH_EVENTS && size < MAX_BATCH_BYTES) continue;
      yield portion;
      portion = [];
      size = 0;
    }
    if (portion.length > 0) yield portion;
  }
}
