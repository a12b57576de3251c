import type { Logger } from 'pino';
import type { ReceivedEvent } from '../../../core/contract/stages.js';
import type { RejectedPayload } from '../../../core/storage/dead-letters/dead-letter.js';
import { beginTimeSlice } from '../../../core/time-slice.js';
import type { Component, Internal, Processed, ReturningProcessor } from '../../component/built-in.js';
import type { Batch, Consumer, Outcome } from '../../component/consumer.js';
import type { Dropped, Failed } from '../../component/plugin.js';
import type { Counter } from '../../telemetry/meters.js';
import { ItemCounters } from './item-counters.js';

export interface EventProcessorContext extends Pick<Internal, 'meters' | 'logger'> {
  readonly consumer: Consumer;
}

/** Handles one event at a time, in time slices. `step` is pure, may throw, and returns a promise only for an event that needs several. */
export function eachEvent(
  step: (event: ReceivedEvent) => ReceivedEvent | Dropped | Promise<ReceivedEvent | Dropped>,
): (batch: Pick<Batch, 'events'>) => Promise<readonly (ReceivedEvent | Dropped | Failed)[]> {
  return async ({ events }) => {
    const slice = beginTimeSlice();
    const results: (ReceivedEvent | Dropped | Failed)[] = [];
    for (const event of events) {
      if (slice.isOver) await slice.next();
      try {
        const answer = step(event);
        // Awaiting a plain value would cost a microtask per event.
        results.push(answer instanceof Promise ? await answer : answer);
      } catch (error) {
        results.push({ kind: 'failed', error });
      }
    }
    return results;
  };
}

/** Counts and forwards what a processor returns, in order. */
export function createEventProcessor(
  id: string,
  context: EventProcessorContext,
  processor: ReturningProcessor,
): Component & Consumer {
  return new EventProcessor(id, context, processor);
}

/** What the processor left of a batch. */
interface ProcessedBatch {
  readonly batch: Batch;
  /** By index of the original batch; undefined for events that go on. */
  readonly dropped: readonly (Dropped | undefined)[];
}

class EventProcessor implements Component, Consumer {
  readonly #consumer: Consumer;
  readonly #processor: ReturningProcessor;
  readonly #errorMode: NonNullable<ReturningProcessor['errorMode']>;
  readonly #count: ItemCounters;
  readonly #noteFailure: (error: unknown) => void;

  constructor(id: string, { consumer, meters, logger }: EventProcessorContext, processor: ReturningProcessor) {
    this.#consumer = consumer;
    this.#processor = processor;
    this.#errorMode = processor.errorMode ?? 'ignore';
    this.#count = new ItemCounters(meters, id);
    this.#noteFailure = createFailureReporter(this.#count.failed, logger, this.#errorMode === 'silent');
  }

  async start(stop?: AbortSignal): Promise<void> {
    await this.#processor.start?.(stop);
  }

  async shutdown(): Promise<void> {
    await this.#processor.shutdown?.();
  }

  // Not async: a caller that waits for the disk must not keep the events alive.
  consume(batch: Batch): Promise<readonly Outcome[]> {
    return this.#count
      .timed(() => this.#process(batch))
      .then(({ batch: rest, dropped }) => {
        if (rest.events.length === dropped.length) return this.#consumer.consume(rest);
        return forward(this.#consumer, rest, dropped);
      });
  }

  async #process({ events, rejected, ...batch }: Batch): Promise<ProcessedBatch> {
    const results = await this.#processor.consume({ events });
    const forwarded: ReceivedEvent[] = [];
    const dropped: (Dropped | undefined)[] = [];
    for (const [index, result] of results.entries()) {
      const drop = this.#dropOf(result);
      dropped.push(drop);
      if (drop !== undefined) continue;
      const event = this.#forwardedOf(result, events[index]);
      if (event !== undefined) forwarded.push(event);
    }
    const rejections = rejectionsIn(results);
    if (rejected !== undefined) rejections.push(...(await this.#processRejected(rejected)));
    this.#count.incoming.add(events.length);
    this.#count.outgoing.add(forwarded.length);
    return { batch: { ...batch, events: forwarded, ...(rejections.length > 0 && { rejected: rejections }) }, dropped };
  }

  #dropOf(result: Processed): Dropped | undefined {
    if ('kind' in result && result.kind === 'failed') this.#noteFailure(result.error);
    const drop = dropOf(result, this.#errorMode);
    if (drop !== undefined) this.#count.dropped(drop.reason).add();
    return drop;
  }

  /** An event that failed goes on as it was. */
  #forwardedOf(result: Processed, event: ReceivedEvent | undefined): ReceivedEvent | undefined {
    if ('kind' in result) return event;
    if (result !== event) this.#count.changed.add();
    return result;
  }

  async #processRejected(payloads: readonly RejectedPayload[]): Promise<RejectedPayload[]> {
    const slice = beginTimeSlice();
    const results: RejectedPayload[] = [];
    for (const payload of payloads) {
      if (slice.isOver) await slice.next();
      results.push(await this.#keptOf(payload));
    }
    return results;
  }

  /** What to keep of a rejected payload. */
  async #keptOf(payload: RejectedPayload): Promise<RejectedPayload> {
    try {
      return (await this.#processor.rejected?.(payload)) ?? payload;
    } catch (error) {
      this.#noteFailure(error);
      const { received: _, ...bare } = payload;
      return this.#errorMode === 'propagate' ? bare : payload;
    }
  }
}

function rejectionsIn(results: readonly Processed[]): RejectedPayload[] {
  const rejections: RejectedPayload[] = [];
  for (const result of results) if ('kind' in result && result.kind === 'rejected') rejections.push(result.payload);
  return rejections;
}

function dropOf(result: Processed, errorMode: string): Dropped | undefined {
  if (!('kind' in result)) return undefined;
  if (result.kind === 'dropped') return result;
  if (result.kind === 'rejected') return { kind: 'dropped', as: 'filtered', reason: result.payload.code };
  return errorMode === 'propagate' ? { kind: 'dropped', as: 'filtered', reason: 'PROCESSOR_FAILED' } : undefined;
}

const LOG_INTERVAL_MS = 10_000;

async function forward(
  consumer: Consumer,
  rest: Batch,
  outcomes: readonly (Dropped | undefined)[],
): Promise<readonly Outcome[]> {
  const isEmpty = rest.events.length === 0 && (rest.rejected ?? []).length === 0;
  return outcomesOf(outcomes, isEmpty ? [] : await consumer.consume(rest));
}

/** Merges drops with the outcomes of the forwarded events, by index in the batch. */
export function outcomesOf(
  dropped: readonly (Dropped | undefined)[],
  outcomes: readonly Outcome[],
): readonly Outcome[] {
  let index = 0;
  return dropped.map((drop) => {
    if (drop !== undefined) return drop;
    const outcome = outcomes[index] ?? { kind: 'dropped', as: 'filtered', reason: 'OUTCOME_MISSING' };
    index += 1;
    return outcome;
  });
}

/** Counts errors of a processor and, unless silent, logs the name of one per ten seconds. */
export function createFailureReporter(failed: Counter, logger: Logger, isSilent: boolean): (error: unknown) => void {
  let nextLogAtMs = 0;
  return (error) => {
    failed.add();
    if (isSilent || performance.now() < nextLogAtMs) return;
    nextLogAtMs = performance.now() + LOG_INTERVAL_MS;
    // The message may quote the event.
    const name = error instanceof Error ? error.name : typeof error;
    logger.error({ error_name: name }, 'the processor failed at an event');
  };
}
