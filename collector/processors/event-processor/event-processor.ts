import type { Logger } from 'pino';
import type { ReceivedEvent } from '../../../core/contract/stages.js';
import type { RejectedPayload } from '../../../core/storage/dead-letters/rejected-payload.js';
import { beginTimeSlice } from '../../../core/time-slice.js';
import type { Component, ComponentContext } from '../../component/component.js';
import type { Batch, Consumer, Outcome } from '../../component/consumer.js';
import type { Counter } from '../../telemetry/meters.js';
import { createItemCounters } from './item-counters.js';

/** An event that a processor takes out of the line on purpose. */
export type Dropped = Extract<Outcome, { kind: 'dropped' }>;

/** What a processor that looks at one event at a time is made of. */
export interface EventSteps {
  /**
   * The event as it goes on, the same object where nothing changed, or what drops it. Pure; may throw. A promise where the event is so large that it is
   * worked at in turns; the events behind it wait.
   */
  readonly event: (event: ReceivedEvent) => ReceivedEvent | Dropped | Promise<ReceivedEvent | Dropped>;
  /** The same for payloads that a receiver rejected, which go to the dead letters; default: they stay as they are. */
  readonly rejected?: (payload: RejectedPayload) => RejectedPayload | Promise<RejectedPayload>;
}

/** Where an event processor stands. */
export interface EventProcessorContext extends Pick<ComponentContext, 'meters' | 'logger'> {
  readonly consumer: Consumer;
}

/**
 * A consumer that takes each event through a step and hands on what is left, in the order in which it came. A batch is handed on also where no event of
 * it is left, because payloads that were rejected travel with it. Steps run in slices, so that other requests get their turn. An event at which a step
 * throws is passed on unchanged (`silent`: without a line in the log), or dropped (`propagate`).
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
      // Not awaited where it is there: that would cost each event a microtask.
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
    // Not async beyond the work: a caller that waits for the disk must not hold on to the events.
    consume: (batch) =>
      count
        .timed(() => process(batch))
        .then(({ batch: rest, outcomes }) => {
          if (rest.events.length === outcomes.length) return consumer.consume(rest);
          return handOn(consumer, rest, outcomes);
        }),
  };
}

const LOG_INTERVAL_MS = 10_000;

async function handOn(
  consumer: Consumer,
  rest: Batch,
  outcomes: readonly (Dropped | undefined)[],
): Promise<readonly Outcome[]> {
  const isEmpty = rest.events.length === 0 && (rest.rejected ?? []).length === 0;
  return outcomesOf(outcomes, isEmpty ? [] : await consumer.consume(rest));
}

/** What became of every event of a batch: those that were dropped, and at the other places what came of those that were handed on. */
export function outcomesOf(
  dropped: readonly (Dropped | undefined)[],
  outcomes: readonly Outcome[],
): readonly Outcome[] {
  let place = 0;
  return dropped.map((one) => {
    if (one !== undefined) return one;
    const outcome = outcomes[place] ?? { kind: 'dropped', as: 'filtered', reason: 'OUTCOME_MISSING' };
    place += 1;
    return outcome;
  });
}

/** Builds what counts errors of a processor and, unless it is silent, logs one of them in ten seconds by its name. */
export function createFailureReporter(failed: Counter, logger: Logger, isSilent: boolean): (error: unknown) => void {
  let nextLogAtMs = 0;
  return (error) => {
    failed.add();
    if (isSilent || performance.now() < nextLogAtMs) return;
    nextLogAtMs = performance.now() + LOG_INTERVAL_MS;
    // Never the error's words: they may hold the event's.
    const name = error instanceof Error ? error.name : typeof error;
    logger.error({ error_name: name }, 'the processor failed at an event');
  };
}
