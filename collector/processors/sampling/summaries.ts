import type { Logger } from 'pino';
import type { ReceivedEvent } from '../../../core/contract/stages.js';
import { MAX_SAMPLED } from '../../../core/event/raw-payload.js';
import { type Consumer, MAX_BATCH_BYTES, MAX_BATCH_EVENTS } from '../../component/consumer.js';
import { toFault } from '../../http/messages/problem.js';
import type { Counter } from '../../telemetry/meters.js';
import { withSampledCount } from './carry-sampled.js';
import type { SampledOut, SampledOutEvents } from './sampled-out-events.js';

type Waiting = readonly [key: string, unkept: SampledOut];

/**
 * Hands held events to the line on behalf of all that was not kept with them. One run at a time. What the line refuses for now is put back, and nothing is
 * handed on before the next `flush`.
 */
export class Summaries {
  readonly #unkept: SampledOutEvents;
  readonly #consumer: Consumer;
  readonly #outgoing: Counter;
  readonly #logger: Logger;
  #running: Promise<void> | undefined;
  #isRefused = false;
  #isEnded = false;

  /** `outgoing` counts summaries that were handed on. */
  constructor(unkept: SampledOutEvents, consumer: Consumer, outgoing: Counter, logger: Logger) {
    this.#unkept = unkept;
    this.#consumer = consumer;
    this.#outgoing = outgoing;
    this.#logger = logger;
  }

  /** Hands on what has waited since before an instant. Never rejects. */
  flush(beforeMs: number): Promise<void> {
    this.#isRefused = false;
    return this.flushSoon(beforeMs);
  }

  /** The same, unless the line has refused since the last `flush`; a run that goes on is all there is for now. */
  flushSoon(beforeMs: number): Promise<void> {
    if (this.#running !== undefined) return this.#running;
    if (this.#isRefused || this.#isEnded) return Promise.resolve();
    const due = this.#unkept.removeOlderThan(beforeMs);
    if (due.length === 0) return Promise.resolve();
    this.#running = this.#run(due).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Nothing more is handed on. */
  end(): void {
    this.#isEnded = true;
  }

  async #run(due: readonly Waiting[]): Promise<void> {
    for (const portion of portionsOf(due)) {
      if (this.#isRefused || this.#isEnded) this.#giveBack(portion);
      else await this.#handOn(portion);
    }
  }

  async #handOn(portion: readonly Waiting[]): Promise<void> {
    const [first] = portion;
    if (first === undefined) return;
    try {
      const receiver = first[1].held.receiver;
      await this.#consumer.consume({ receiver, events: portion.map(([, one]) => summaryOf(one)) });
      for (const [key, one] of portion) this.#unkept.settle(key, one, countedBy(one));
      this.#outgoing.add(portion.length);
    } catch (error) {
      const fault = toFault(error);
      this.#isRefused = fault.retryable;
      if (fault.retryable) this.#giveBack(portion);
      else if (portion.length > 1) await this.#handOnEach(portion);
      else {
        const [key, one] = first;
        this.#unkept.settle(key, one, one.events);
        this.#logger.error(
          { err: fault, events: one.events },
          'an event that stands for others was refused for good: they are not counted',
        );
      }
    }
  }

  /** One that is refused for good must not take the others with it. */
  async #handOnEach(portion: readonly Waiting[]): Promise<void> {
    for (const one of portion) {
      if (this.#isRefused || this.#isEnded) this.#giveBack([one]);
      else await this.#handOn([one]);
    }
  }

  #giveBack(portion: readonly Waiting[]): void {
    for (const [key, one] of portion) this.#unkept.putBack(key, one);
  }
}

/** How many events one stored event stands for at most, itself included. */
function countedBy({ events }: SampledOut): number {
  return Math.min(events, 1 + MAX_SAMPLED);
}

function summaryOf(unkept: SampledOut): ReceivedEvent {
  return { payload: withSampledCount(unkept.held.payload, countedBy(unkept) - 1) };
}

/** As batches of one receiver each, in the order in which they waited. */
function* portionsOf(due: readonly Waiting[]): Generator<Waiting[]> {
  const byReceiver = new Map<string, Waiting[]>();
  for (const one of due) {
    const { receiver } = one[1].held;
    const others = byReceiver.get(receiver);
    if (others === undefined) byReceiver.set(receiver, [one]);
    else others.push(one);
  }
  for (const ofReceiver of byReceiver.values()) {
    let portion: Waiting[] = [];
    let size = 0;
    for (const one of ofReceiver) {
      portion.push(one);
      size += one[1].held.size;
      if (portion.length < MAX_BATCH_EVENTS && size < MAX_BATCH_BYTES) continue;
      yield portion;
      portion = [];
      size = 0;
    }
    if (portion.length > 0) yield portion;
  }
}
