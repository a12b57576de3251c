import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { parseDuration } from '../../../config/values/duration.js';
import type { ReceivedEvent } from '../../../core/contract/stages.js';
import { within } from '../../../core/within.js';
import type { RateLimitProcessorSettings, SampleProcessorSettings } from '../../../generated/settings.js';
import type { Component, ForwardingProcessor, ProcessorFactory, ProcessorInternal } from '../../component/built-in.js';
import type { Batch, Consumer, Outcome } from '../../component/consumer.js';
import type { Dropped } from '../../component/plugin.js';
import { createFailureReporter, outcomesOf } from '../event-processor/event-processor.js';
import { type Every, everyInterval } from '../event-processor/every.js';
import { createItemCounters } from '../event-processor/item-counters.js';
import { type BatchDecision, beginDecision, type SamplingWindow } from './batch-decision.js';
import { groupBatch } from './group-batch.js';
import { SampledOutEvents } from './sampled-out-events.js';
import { rateLimitRule, type SamplingRule, sampleRule } from './sampling-rule.js';
import { createSummaries } from './summaries.js';

/** Clock and limits of a sampling processor. */
export interface SamplingBounds {
  /** Monotonic milliseconds, default `performance.now`. */
  readonly nowMs?: () => number;
  readonly every?: Every;
  /** Limit for `shutdown`, milliseconds, default 1,500. */
  readonly shutdownTimeoutMs?: number;
  /** Approximate limit of characters in held events, default 64 Mi. */
  readonly maxHeldSize?: number;
}

const MAX_HELD_SIZE = 64 * 1024 * 1024;
const SHUTDOWN_TIMEOUT_MS = 1_500;
/** Interval of checks for due summaries: at most this, and a quarter of the summary interval. */
const MAX_CHECK_MS = 1_000;
const CHECKS_PER_INTERVAL = 4;
/** Milliseconds between retries while the processor stops. */
const RETRY_MS = 25;
const FAILED: Dropped = { kind: 'dropped', as: 'filtered', reason: 'PROCESSOR_FAILED' };

interface Decided {
  readonly batch: Batch;
  readonly decision: BatchDecision;
  /** By index of the original batch; undefined for forwarded events. */
  readonly dropped: readonly (Dropped | undefined)[];
}

/** Processor `rate_limit`: forwards the first events of an issue in each interval. */
export const rateLimitProcessor: ProcessorFactory<RateLimitProcessorSettings> = {
  stability: 'alpha',
  create: (settings, { id, internal }) => createSamplingProcessor(id, rateLimitRule(settings), settings, internal),
};

/** Processor `sample`: forwards a share of the events of an issue. */
export const sampleProcessor: ProcessorFactory<SampleProcessorSettings> = {
  stability: 'alpha',
  create: (settings, { id, internal }) => createSamplingProcessor(id, sampleRule(settings), settings, internal),
};

/** Forwards the events that a rule samples in; the next one of an issue, or a summary within `summary_interval`, represents the others. */
export function createSamplingProcessor(
  id: string,
  rule: SamplingRule,
  settings: Pick<
    RateLimitProcessorSettings & SampleProcessorSettings,
    'summary_interval' | 'max_issues' | 'error_mode'
  >,
  { consumer, grouper, meters, logger }: Pick<ProcessorInternal, 'consumer' | 'grouper' | 'meters' | 'logger'>,
  bounds: SamplingBounds = {},
): Component & ForwardingProcessor {
  const { nowMs = () => performance.now(), every = everyInterval } = bounds;
  const { shutdownTimeoutMs = SHUTDOWN_TIMEOUT_MS, maxHeldSize = MAX_HELD_SIZE } = bounds;
  const errorMode = settings.error_mode;
  const summaryMs = parseDuration(settings.summary_interval);
  const checkMs = Math.min(MAX_CHECK_MS, summaryMs / CHECKS_PER_INTERVAL);
  const count = createItemCounters(meters, id);
  const sampledOutOutcome: Dropped = { kind: 'dropped', as: 'sampled', reason: rule.reason };
  const sampledOut = new SampledOutEvents(maxHeldSize);
  const summaries = createSummaries(sampledOut, consumer, count.outgoing, logger);
  /** Batches that a shutdown waits for. */
  const running = new Set<Promise<unknown>>();
  const track = <T>(work: Promise<T>): Promise<T> => {
    running.add(work);
    return work.finally(() => running.delete(work));
  };
  let hasEvicted = false;
  const windows = new LRUCache<string, SamplingWindow>({
    ...{ maxSize: settings.max_issues, sizeCalculation: () => 1 },
    dispose: (_window, key, reason) => {
      if (reason === 'evict' && sampledOut.expedite(key)) hasEvicted = true;
    },
  });
  let isStopping = false;
  let stopChecks = (): void => {};
  let removeGauge = (): void => {};

  const noteFailure = createFailureReporter(count.failed, logger, errorMode === 'silent');

  const decideOn = async ({ events, ...batch }: Batch): Promise<Decided> => {
    const groupedBy = grouper();
    const grouped = await groupBatch(events, groupedBy, noteFailure);
    const decision = beginDecision({ rule, windows, sampledOut, receiver: batch.receiver, nowMs: nowMs() });
    const kept: ReceivedEvent[] = [];
    const dropped = events.map((event, index) => {
      const issue = grouped[index];
      if (issue === undefined && errorMode === 'propagate') return FAILED;
      const result = issue === undefined ? event : decision.decide(event, issue.key, issue.grouping, kept.length);
      if (result === undefined) return sampledOutOutcome;
      kept.push(result);
      return undefined;
    });
    return { batch: { ...batch, events: kept }, decision, dropped };
  };

  const flushEarly = (): void => {
    if (sampledOut.isCrowded) void summaries.flushSoon(Number.POSITIVE_INFINITY);
    else if (hasEvicted) void summaries.flushSoon(Number.NEGATIVE_INFINITY);
    hasEvicted = false;
  };

  // Not async: no frame may keep the payloads alive while they wait for the disk.
  const forward = ({ batch, decision, dropped }: Decided): Promise<readonly Outcome[]> =>
    consumeIfAny(consumer, batch).then(
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

  const forwardUnchanged = (batch: Batch): Promise<readonly Outcome[]> => {
    const { length } = batch.events;
    return consumeIfAny(consumer, batch).then((outcomes) => {
      count.outgoing.add(length);
      return outcomes;
    });
  };

  /** Waits for running batches, then flushes all summaries with retries until the timeout; logs how many events remain. */
  const drain = async (): Promise<void> => {
    const endMs = performance.now() + shutdownTimeoutMs;
    const remainingMs = (): number => Math.max(0, endMs - performance.now());
    await within(remainingMs(), Promise.allSettled(running));
    while (sampledOut.events > 0 && remainingMs() > 0) {
      await within(remainingMs(), summaries.flush(Number.POSITIVE_INFINITY));
      if (sampledOut.events > 0) await sleep(Math.min(RETRY_MS, remainingMs()));
    }
    summaries.end();
    if (sampledOut.events === 0) return;
    logger.error(
      { events: sampledOut.events },
      'the pipeline refused until the end: sampled-out events are not counted',
    );
  };

  return {
    forwards: true,

    async start() {
      stopChecks = every(checkMs, () => {
        void summaries.flush(nowMs() - summaryMs + checkMs);
        void sampledOut.detach();
      });
      removeGauge = meters.gauge('faultline_processor_watched_issues', { processor: id }, () => windows.size);
    },

    consume(batch) {
      count.incoming.add(batch.events.length);
      // A batch id promises its sender that all of its events are stored.
      if (isStopping || batch.batchId !== undefined) return track(forwardUnchanged(batch));
      return track(count.timed(() => decideOn(batch)).then(forward));
    },

    async shutdown() {
      isStopping = true;
      stopChecks();
      removeGauge();
      await drain();
    },
  };
}

/** Rejects also if the consumer throws synchronously. */
function consumeIfAny(consumer: Consumer, batch: Batch): Promise<readonly Outcome[]> {
  if (batch.events.length === 0 && (batch.rejected ?? []).length === 0) return Promise.resolve([]);
  return new Promise((resolve) => resolve(consumer.consume(batch)));
}
