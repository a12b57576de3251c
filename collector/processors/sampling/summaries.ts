import type { Logger } from 'pino';
import type { Fault } from '../../../core/event/fault.js';
import { MAX_SAMPLED } from '../../../core/event/raw-payload.js';
import { type Consumer, MAX_BATCH_BYTES, MAX_BATCH_EVENTS } from '../../component/consumer.js';
import { toFault } from '../../http/messages/problem.js';
import type { Counter } from '../../telemetry/meters.js';
import { type SampledOut, type SampledOutEvents, withSampledCount } from './sampled-out-events.js';

type Waiting = readonly [key: string, sampledOut: SampledOut];

/** Forwards held events as summaries, one run at a time; after a retryable refusal the rest waits for the next `flush`. */
export class Summaries {
  readonly #sampledOut: SampledOutEvents;
  readonly #consumer: Consumer;
  readonly #outgoing: Counter;
  readonly #logger: Logger;
  #running: Promise<void> | undefined;
  #isRefused = false;
  #isEnded = false;

  constructor(sampledOut: SampledOutEvents, consumer: Consumer, outgoing: Counter, logger: Logger) {
    this.#sampledOut = sampledOut;
    this.#consumer = consumer;
    this.#outgoing = outgoing;
    this.#logger = logger;
  }

  /** Forwards what has waited since `beforeMs` or longer. Never rejects. */
  flush(beforeMs: number): Promise<void> {
    this.#isRefused = false;
    return this.flushSoon(beforeMs);
  }

  /** The same, unless the pipeline refused since the last `flush`; joins a running flush. */
  flushSoon(beforeMs: number): Promise<void> {
    if (this.#running !== undefined) return this.#running;
    if (this.#isRefused || this.#isEnded) return Promise.resolve();
    const due = this.#sampledOut.removeOlderThan(beforeMs);
    if (due.length === 0) return Promise.resolve();
    this.#running = this.#run(due).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Forwards nothing more. */
  end(): void {
    this.#isEnded = true;
  }

  async #run(due: readonly Waiting[]): Promise<void> {
    for (const portion of portionsOf(due)) {
      if (this.#isRefused || this.#isEnded) this.#putBack(portion);
      else await this.#forward(portion);
    }
  }

  async #forward(portion: readonly Waiting[]): Promise<void> {
    const [first] = portion;
    if (first === undefined) return;
    try {
      const { receiver } = first[1];
      const events = portion.map(([, waiting]) => ({
        payload: withSampledCount(waiting.held, countedBy(waiting) - 1),
      }));
      await this.#consumer.consume({ receiver, events });
      for (const [key, waiting] of portion) this.#sampledOut.settle(key, waiting, countedBy(waiting));
      this.#outgoing.add(portion.length);
    } catch (error) {
      await this.#handleRefusal(portion, first, toFault(error));
    }
  }

  /** One event that is refused permanently must not affect the others. */
  async #handleRefusal(portion: readonly Waiting[], first: Waiting, fault: Fault): Promise<void> {
    this.#isRefused = fault.retryable;
    if (fault.retryable) this.#putBack(portion);
    else if (portion.length > 1) await this.#forwardEach(portion);
    else {
      const [key, { events }] = first;
      this.#sampledOut.settle(key, first[1], events);
      this.#logger.error({ err: fault, events }, 'a summary was refused permanently: its events are not counted');
    }
  }

  async #forwardEach(portion: readonly Waiting[]): Promise<void> {
    for (const waiting of portion) {
      if (this.#isRefused || this.#isEnded) this.#putBack([waiting]);
      else await this.#forward([waiting]);
    }
  }

  #putBack(portion: readonly Waiting[]): void {
    for (const [key, waiting] of portion) this.#sampledOut.putBack(key, waiting);
  }
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
