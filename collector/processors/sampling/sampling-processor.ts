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
import { ItemCounters } from '../event-processor/item-counters.js';
import { BatchDecision, type SamplingWindow } from './batch-decision.js';
import { groupBatch } from './group-batch.js';
import { SampledOutEvents } from './sampled-out-events.js';
import { rateLimitRule, type SamplingRule, sampleRule } from './sampling-rule.js';
import { Summaries } from './summaries.js';

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

type SamplingSettings = Pick<
  RateLimitProcessorSettings & SampleProcessorSettings,
  'summary_interval' | 'max_issues' | 'error_mode'
>;

type SamplingInternal = Pick<ProcessorInternal, 'consumer' | 'grouper' | 'meters' | 'logger'>;

/** Forwards the events that a rule samples in; the next one of an issue, or a summary within `summary_interval`, represents the others. */
export class SamplingProcessor implements Component, ForwardingProcessor {
  readonly forwards = true;
  readonly #id: string;
  readonly #rule: SamplingRule;
  readonly #internal: SamplingInternal;
  readonly #errorMode: SamplingSettings['error_mode'];
  readonly #summaryMs: number;
  readonly #nowMs: () => number;
  readonly #every: Every;
  readonly #shutdownTimeoutMs: number;
  readonly #count: ItemCounters;
  readonly #noteFailure: (error: unknown) => void;
  readonly #sampledOut: SampledOutEvents;
  readonly #summaries: Summaries;
  /** By issue, of the most recent ones. */
  readonly #windows: LRUCache<string, SamplingWindow>;
  /** Batches that a shutdown waits for. */
  readonly #running = new Set<Promise<unknown>>();
  #hasEvicted = false;
  #isStopping = false;
  #stopChecks = (): void => {};
  #removeGauge = (): void => {};

  constructor(
    id: string,
    rule: SamplingRule,
    settings: SamplingSettings,
    internal: SamplingInternal,
    bounds: SamplingBounds = {},
  ) {
    const { consumer, meters, logger } = internal;
    this.#id = id;
    this.#rule = rule;
    this.#internal = internal;
    this.#errorMode = settings.error_mode;
    this.#summaryMs = parseDuration(settings.summary_interval);
    this.#nowMs = bounds.nowMs ?? (() => performance.now());
    this.#every = bounds.every ?? everyInterval;
    this.#shutdownTimeoutMs = bounds.shutdownTimeoutMs ?? SHUTDOWN_TIMEOUT_MS;
    this.#count = new ItemCounters(meters, id);
    this.#noteFailure = createFailureReporter(this.#count.failed, logger, settings.error_mode === 'silent');
    this.#sampledOut = new SampledOutEvents(bounds.maxHeldSize ?? MAX_HELD_SIZE);
    this.#summaries = new Summaries(this.#sampledOut, consumer, this.#count.outgoing, logger);
    this.#windows = new LRUCache({
      maxSize: settings.max_issues,
      sizeCalculation: () => 1,
      dispose: (_window, key, reason) => {
        if (reason === 'evict' && this.#sampledOut.expedite(key)) this.#hasEvicted = true;
      },
    });
  }

  async start(): Promise<void> {
    const checkMs = Math.min(MAX_CHECK_MS, this.#summaryMs / CHECKS_PER_INTERVAL);
    this.#stopChecks = this.#every(checkMs, () => {
      void this.#summaries.flush(this.#nowMs() - this.#summaryMs + checkMs);
      void this.#sampledOut.detach();
    });
    this.#removeGauge = this.#internal.meters.gauge(
      'faultline_processor_watched_issues',
      { processor: this.#id },
      () => this.#windows.size,
    );
  }

  consume(batch: Batch): Promise<readonly Outcome[]> {
    this.#count.incoming.add(batch.events.length);
    // A batch id promises its sender that all of its events are stored.
    if (this.#isStopping || batch.batchId !== undefined) return this.#track(this.#forwardUnchanged(batch));
    return this.#track(this.#count.timed(() => this.#decideOn(batch)).then((decided) => this.#forward(decided)));
  }

  async shutdown(): Promise<void> {
    this.#isStopping = true;
    this.#stopChecks();
    this.#removeGauge();
    await this.#drain();
  }

  #track<Result>(work: Promise<Result>): Promise<Result> {
    this.#running.add(work);
    return work.finally(() => this.#running.delete(work));
  }

  async #decideOn({ events, ...batch }: Batch): Promise<Decided> {
    const grouped = await groupBatch(events, this.#internal.grouper(), this.#noteFailure);
    const decision = new BatchDecision({
      rule: this.#rule,
      windows: this.#windows,
      sampledOut: this.#sampledOut,
      receiver: batch.receiver,
      nowMs: this.#nowMs(),
    });
    const forwarded: ReceivedEvent[] = [];
    const dropped = events.map((event, index) => {
      const issue = grouped[index];
      if (issue === undefined && this.#errorMode === 'propagate') return FAILED;
      const result = issue === undefined ? event : decision.decide(event, issue.key, issue.grouping, forwarded.length);
      if (result === undefined) return { kind: 'dropped', as: 'sampled', reason: this.#rule.reason } as const;
      forwarded.push(result);
      return undefined;
    });
    return { batch: { ...batch, events: forwarded }, decision, dropped };
  }

  // Not async: no frame may keep the payloads alive while they wait for the disk.
  #forward({ batch, decision, dropped }: Decided): Promise<readonly Outcome[]> {
    return consumeIfAny(this.#internal.consumer, batch).then(
      (outcomes) => {
        decision.commit(outcomes);
        this.#flushEarly();
        this.#count.changed.add(decision.carriers);
        for (const drop of dropped) {
          const counter = drop === undefined ? this.#count.outgoing : this.#count.dropped(drop.reason);
          counter.add();
        }
        return outcomesOf(dropped, outcomes);
      },
      (error) => {
        decision.rollback();
        this.#flushEarly();
        throw error;
      },
    );
  }

  #forwardUnchanged(batch: Batch): Promise<readonly Outcome[]> {
    const { length } = batch.events;
    return consumeIfAny(this.#internal.consumer, batch).then((outcomes) => {
      this.#count.outgoing.add(length);
      return outcomes;
    });
  }

  #flushEarly(): void {
    if (this.#sampledOut.isCrowded) void this.#summaries.flushSoon(Number.POSITIVE_INFINITY);
    else if (this.#hasEvicted) void this.#summaries.flushSoon(Number.NEGATIVE_INFINITY);
    this.#hasEvicted = false;
  }

  /** Waits for running batches, then flushes all summaries with retries until the timeout; logs how many events remain. */
  async #drain(): Promise<void> {
    const sampledOut = this.#sampledOut;
    const endMs = performance.now() + this.#shutdownTimeoutMs;
    const remainingMs = (): number => Math.max(0, endMs - performance.now());
    await within(remainingMs(), Promise.allSettled(this.#running));
    while (sampledOut.events > 0 && remainingMs() > 0) {
      await within(remainingMs(), this.#summaries.flush(Number.POSITIVE_INFINITY));
      if (sampledOut.events > 0) await sleep(Math.min(RETRY_MS, remainingMs()));
    }
    this.#summaries.end();
    if (sampledOut.events === 0) return;
    this.#internal.logger.error(
      { events: sampledOut.events },
      'the pipeline refused until the end: sampled-out events are not counted',
    );
  }
}

/** Rejects also if the consumer throws synchronously. */
function consumeIfAny(consumer: Consumer, batch: Batch): Promise<readonly Outcome[]> {
  if (batch.events.length === 0 && (batch.rejected ?? []).length === 0) return Promise.resolve([]);
  return new Promise((resolve) => resolve(consumer.consume(batch)));
}

/** Processor `rate_limit`: forwards the first events of an issue in each interval. */
export const rateLimitProcessor: ProcessorFactory<RateLimitProcessorSettings> = {
  stability: 'alpha',
  create: (settings, { id, internal }) => new SamplingProcessor(id, rateLimitRule(settings), settings, internal),
};

/** Processor `sample`: forwards a share of the events of an issue. */
export const sampleProcessor: ProcessorFactory<SampleProcessorSettings> = {
  stability: 'alpha',
  create: (settings, { id, internal }) => new SamplingProcessor(id, sampleRule(settings), settings, internal),
};
