import type { Logger } from 'pino';
import type { ReceivedEvent } from '../../../core/contract/stages.js';
import type { RejectedPayload } from '../../../core/storage/dead-letters/dead-letter.js';
import { beginTimeSlice } from '../../../core/time-slice.js';
import type { Component, ComponentContext } from '../../component/component.js';
import type { Batch, Consumer, Outcome } from '../../component/consumer.js';
import type { Counter } from '../../telemetry/meters.js';
import { createItemCounters } from './item-counters.js';

/** The outcome of an event that a processor drops on purpose. */
export type Dropped = Extract<Outcome, { kind: 'dropped' }>;

/** The steps of a processor that handles one event at a time. */
interface EventSteps {
  /**
   * Returns the event to forward (the same object if unchanged) or a drop. Pure; may throw. Returns a promise only for an event so large
   * that it needs several time slices.
   */
  readonly event: (event: ReceivedEvent) => ReceivedEvent | Dropped | Promise<ReceivedEvent | Dropped>;
  /** The same for rejected payloads; default: unchanged. */
  readonly rejected?: (payload: RejectedPayload) => RejectedPayload | Promise<RejectedPayload>;
}

export interface EventProcessorContext extends Pick<ComponentContext, 'meters' | 'logger'> {
  readonly consumer: Consumer;
}

/**
 * Creates a consumer that applies a step to each event and forwards the rest in order. An empty batch is forwarded if it carries rejected
 * payloads. Steps run in time slices. An event at which a step throws is forwarded unchanged (`silent`: without a log line) or dropped
 * (`propagate`).
 */
export function createEventProcessor(
  id: string,
  { consumer, meters, logger }: EventProcessorContext,
  errorMode: 'ignore' | 'silent' | 'propagate',
  steps: EventSteps,
): Component & Consumer {
  const count = createItemCounters(meters, id);
  const failed: Dropped = { kind: 'dropped', as: 'filtered', reason: 'PROCESSOR_FAILED' };
  const noteFailure = createFailureReporter(count.failed, logger, errorMode === 'silent');

  const guarded = <In, Out>(work: (value: In) => Out | Promise<Out>, value: In, otherwise: Out): Out | Promise<Out> => {
    const insteadOf = (error: unknown): Out => {
      noteFailure(error);
      return otherwise;
    };
    try {
      const result = work(value);
      return result instanceof Promise ? result.catch(insteadOf) : result;
    } catch (error) {
      return insteadOf(error);
    }
  };

  const process = async ({
    events,
    rejected,
    ...batch
  }: Batch): Promise<{ batch: Batch; outcomes: (Dropped | undefined)[] }> => {
    const slice = beginTimeSlice();
    const kept: ReceivedEvent[] = [];
    const outcomes: (Dropped | undefined)[] = [];
    for (const event of events) {
      if (slice.isOver) await slice.next();
      const answer = guarded(steps.event, event, errorMode === 'propagate' ? failed : event);
      // Awaiting a plain value would cost a microtask per event.
      const result = answer instanceof Promise ? await answer : answer;
      if ('kind' in result) {
        outcomes.push(result);
        count.dropped(result.reason).add();
      } else {
        outcomes.push(undefined);
        kept.push(result);
        if (result !== event) count.changed.add();
      }
    }
    const handled: RejectedPayload[] = [];
    for (const payload of rejected ?? []) {
      if (slice.isOver) await slice.next();
      const { received: _, ...bare } = payload;
      const otherwise = errorMode === 'propagate' ? bare : payload;
      handled.push(steps.rejected === undefined ? payload : await guarded(steps.rejected, payload, otherwise));
    }
    count.incoming.add(events.length);
    count.outgoing.add(kept.length);
    return { batch: { ...batch, events: kept, ...(rejected !== undefined && { rejected: handled }) }, outcomes };
  };

  return {
    start: async () => {},
    shutdown: async () => {},
    // Not async: a caller that waits for the disk must not keep the events alive.
    consume: (batch) =>
      count
        .timed(() => process(batch))
        .then(({ batch: rest, outcomes }) => {
          if (rest.events.length === outcomes.length) return consumer.consume(rest);
          return forward(consumer, rest, outcomes);
        }),
  };
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
  return dropped.map((one) => {
    if (one !== undefined) return one;
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
