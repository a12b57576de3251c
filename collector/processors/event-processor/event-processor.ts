import type { Logger } from 'pino';
import type { ReceivedEvent } from '../../../core/contract/stages.js';
import type { RejectedPayload } from '../../../core/storage/dead-letters/dead-letter.js';
import { beginTimeSlice } from '../../../core/time-slice.js';
import type { Component, Internal, Processed, ReturningProcessor } from '../../component/built-in.js';
import type { Batch, Consumer, Outcome } from '../../component/consumer.js';
import type { Dropped, Failed } from '../../component/plugin.js';
import type { Counter } from '../../telemetry/meters.js';
import { createItemCounters } from './item-counters.js';

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
  { consumer, meters, logger }: EventProcessorContext,
  processor: ReturningProcessor,
): Component & Consumer {
  const { errorMode = 'ignore' } = processor;
  const count = createItemCounters(meters, id);
  const noteFailure = createFailureReporter(count.failed, logger, errorMode === 'silent');

  const keepRejected = async (payload: RejectedPayload): Promise<RejectedPayload> => {
    try {
      return (await processor.rejected?.(payload)) ?? payload;
    } catch (error) {
      noteFailure(error);
      const { received: _, ...bare } = payload;
      return errorMode === 'propagate' ? bare : payload;
    }
  };

  const process = async ({
    events,
    rejected,
    ...batch
  }: Batch): Promise<{ batch: Batch; outcomes: (Dropped | undefined)[] }> => {
    const results = await processor.consume({ events });
    const kept: ReceivedEvent[] = [];
    const dead: RejectedPayload[] = [];
    const outcomes = results.map((result, index): Dropped | undefined => {
      const event = events[index];
      if ('kind' in result && result.kind === 'rejected') dead.push(result.payload);
      if ('kind' in result && result.kind === 'failed') noteFailure(result.error);
      const dropped = dropOf(result, errorMode);
      if (dropped !== undefined) count.dropped(dropped.reason).add();
      else if (event !== undefined) kept.push('kind' in result ? event : result);
      if (dropped === undefined && !('kind' in result) && result !== event) count.changed.add();
      return dropped;
    });
    const slice = beginTimeSlice();
    for (const payload of rejected ?? []) {
      if (slice.isOver) await slice.next();
      dead.push(await keepRejected(payload));
    }
    count.incoming.add(events.length);
    count.outgoing.add(kept.length);
    return { batch: { ...batch, events: kept, ...(dead.length > 0 && { rejected: dead }) }, outcomes };
  };

  return {
    start: async (stop) => await processor.start?.(stop),
    shutdown: async () => await processor.shutdown?.(),
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
