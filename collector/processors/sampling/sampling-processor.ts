import { setTimeout as sleep } from 'node:timers/promises';
import { parseDuration } from '../../../config/values/duration.js';
import type { ReceivedEvent } from '../../../core/contract/stages.js';
import type { Grouper } from '../../../core/fingerprint/grouper.js';
import type { RateLimitProcessorSettings, SampleProcessorSettings } from '../../../generated/settings.js';
import type { Component } from '../../component/component.js';
import type { Batch, Consumer, Outcome } from '../../component/consumer.js';
import {
  createFailureReporter,
  type Dropped,
  type EventProcessorContext,
  outcomesOf,
} from '../event-processor/event-processor.js';
import { type Every, everyInterval } from '../event-processor/every.js';
import { createItemCounters } from '../event-processor/item-counters.js';
import { BatchDecision } from './batch-decision.js';
import { groupBatch } from './group-batch.js';
import { IssueWindows } from './issue-windows.js';
import { SampledOutEvents } from './sampled-out-events.js';
import type { SamplingRule } from './sampling-rule.js';
import { Summaries } from './summaries.js';

/** Counts work that runs, so that a shutdown can wait for its end. */
class RunningWork {
  #running = 0;
  #idle: (() => void)[] = [];

  /** Counts until the work is done; answers what it answers. */
  track<T>(work: Promise<T>): Promise<T> {
    this.#running += 1;
    return work.finally(() => {
      this.#running -= 1;
      if (this.#running === 0) for (const resolve of this.#idle.splice(0)) resolve();
    });
  }

  /** Resolves when nothing runs. */
  drained(): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }
}

/** The time and the bounds of a processor that keeps some events of each issue. */
export interface SamplingBounds {
  /** Monotonic milliseconds, default `performance.now`. */
  readonly nowMs?: () => number;
  readonly every?: Every;
  /** Milliseconds in which `shutdown` ends, default 1,500. */
  readonly shutdownTimeoutMs?: number;
  /** About how many characters the events have together at most that are held for summaries, default 64 Mi. */
  readonly maxHeldSize?: number;
}

const MAX_HELD_SIZE = 64 * 1024 * 1024;
const SHUTDOWN_TIMEOUT_MS = 1_500;
/** How often it looks for summaries that are due, at most, and in parts of their interval. */
const LONGEST_LOOK_MS = 1_000;
const LOOKS_PER_INTERVAL = 4;
/** Milliseconds between tries of what the line refuses while the processor stops. */
const RETRY_MS = 25;
const FAILED: Dropped = { kind: 'dropped', as: 'filtered', reason: 'PROCESSOR_FAILED' };

/** A batch as it goes on. */
interface Decided {
  readonly batch: Batch;
  readonly decision: BatchDecision;
  /** At the place of every event of the batch as it came: what dropped it; undefined for those that go on. */
  readonly dropped: readonly (Dropped | undefined)[];
}

/**
 * Keeps of each issue the events that a rule says. The others are dropped, and the next event of their issue that is kept stands for them, or one of them
 * that the processor itself hands on within `summary_interval`. A batch that the line refuses has not happened. While it stops, everything is kept.
 */
export function createSamplingProcessor(
  id: string,
  rule: SamplingRule,
  settings: Pick<
    RateLimitProcessorSettings & SampleProcessorSettings,
    'summary_interval' | 'max_issues' | 'error_mode'
  >,
  { consumer, grouper, meters, logger }: EventProcessorContext & { readonly grouper: () => Grouper },
  bounds: SamplingBounds = {},
): Component & Consumer {
  const { nowMs = () => performance.now(), every = everyInterval } = bounds;
  const { shutdownTimeoutMs = SHUTDOWN_TIMEOUT_MS, maxHeldSize = MAX_HELD_SIZE } = bounds;
  const errorMode = settings.error_mode;
  const summaryMs = parseDuration(settings.summary_interval);
  const lookMs = Math.min(LONGEST_LOOK_MS, summaryMs / LOOKS_PER_INTERVAL);
  const count = createItemCounters(meters, id);
  const notKept: Dropped = { kind: 'dropped', as: 'sampled', reason: rule.reason };
  const unkept = new SampledOutEvents(maxHeldSize);
  const summaries = new Summaries(unkept, consumer, count.outgoing, logger);
  const running = new RunningWork();
  let hasForgotten = false;
  const windows = new IssueWindows(rule.intervalMs, settings.max_issues, (key) => {
    if (unkept.expedite(key)) hasForgotten = true;
  });
  let isStopping = false;
  let stopLooking = (): void => {};
  let removeGauge = (): void => {};

  const noteFailure = createFailureReporter(count.failed, logger, errorMode === 'silent');

  const decideOn = async ({ events, ...batch }: Batch): Promise<Decided> => {
    const groupedBy = grouper();
    const { keys, groupings } = await groupBatch(events, groupedBy, noteFailure);
    const decision = new BatchDecision({ rule, windows, sampledOut: unkept, receiver: batch.receiver, nowMs: nowMs() });
    const kept: ReceivedEvent[] = [];
    const dropped = events.map((event, place) => {
      const key = keys[place];
      const fingerprint = groupings[place];
      const isKnown = key !== undefined && fingerprint !== undefined;
      if (!isKnown && errorMode === 'propagate') return FAILED;
      const result = isKnown ? decision.decide(event, key, { key: groupedBy.key, fingerprint }, kept.length) : event;
      if (result === undefined) return notKept;
      kept.push(result);
      return undefined;
    });
    return { batch: { ...batch, events: kept }, decision, dropped };
  };

  const flushEarly = (): void => {
    if (unkept.isCrowded) void summaries.flushSoon(Number.POSITIVE_INFINITY);
    else if (hasForgotten) void summaries.flushSoon(Number.NEGATIVE_INFINITY);
    hasForgotten = false;
  };

  // Not async: while it waits for the disk no frame may hold the payloads of the batch.
  const handOn = ({ batch, decision, dropped }: Decided): Promise<readonly Outcome[]> =>
    handTo(consumer, batch).then(
      (outcomes) => {
        decision.commit(outcomes);
        flushEarly();
        count.changed.add(decision.carriers);
        for (const one of dropped) (one === undefined ? count.outgoing : count.dropped(one.reason)).add();
        return outcomesOf(dropped, outcomes);
      },
      (error) => {
        decision.rollback();
        flushEarly();
        throw error;
      },
    );

  const passOn = (batch: Batch): Promise<readonly Outcome[]> => {
    const { length } = batch.events;
    return handTo(consumer, batch).then((outcomes) => {
      count.outgoing.add(length);
      return outcomes;
    });
  };

  /** Waits for what runs, then hands on all that is to be counted yet, again and again while the line refuses. Says how much is lost when the time is over. */
  const drain = async (): Promise<void> => {
    const endMs = performance.now() + shutdownTimeoutMs;
    const remainingMs = (): number => Math.max(0, endMs - performance.now());
    await settledWithin(remainingMs(), running.drained());
    while (unkept.events > 0 && remainingMs() > 0) {
      await settledWithin(remainingMs(), summaries.flush(Number.POSITIVE_INFINITY));
      if (unkept.events > 0) await sleep(Math.min(RETRY_MS, remainingMs()));
    }
    summaries.end();
    if (unkept.events === 0) return;
    logger.error(
      { events: unkept.events },
      'the line refused until the end: events that were not kept are not counted',
    );
  };

  return {
    async start() {
      stopLooking = every(lookMs, () => {
        void summaries.flush(nowMs() - summaryMs + lookMs);
        void unkept.detach();
      });
      removeGauge = meters.gauge('faultline_processor_watched_issues', { processor: id }, () => windows.size);
    },

    consume(batch) {
      count.incoming.add(batch.events.length);
      // What is stored under a batch id tells its sender what of the batch is done: nothing of it may be missing.
      if (isStopping || batch.batchId !== undefined) return running.track(passOn(batch));
      return running.track(count.timed(() => decideOn(batch)).then(handOn));
    },

    async shutdown() {
      isStopping = true;
      stopLooking();
      removeGauge();
      await drain();
    },
  };
}

/** Rejects also where the consumer throws. */
function handTo(consumer: Consumer, batch: Batch): Promise<readonly Outcome[]> {
  if (batch.events.length === 0 && (batch.rejected ?? []).length === 0) return Promise.resolve([]);
  return new Promise((resolve) => resolve(consumer.consume(batch)));
}

/** Resolves when the work is done, however it ended, and after so many milliseconds at the latest; then it goes on unwatched. */
async function settledWithin(timeoutMs: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  const settled = work.then(
    () => undefined,
    () => undefined,
  );
  await Promise.race([settled, timeout]);
  clearTimeout(timer);
}
