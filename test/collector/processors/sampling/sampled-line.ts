import { pino } from 'pino';
import type { Outcome } from '../../../../collector/component/consumer.js';
import {
  createSamplingProcessor,
  type SamplingBounds,
} from '../../../../collector/processors/sampling/sampling-processor.js';
import { rateLimitRule, sampleRule } from '../../../../collector/processors/sampling/sampling-rule.js';
import { createMeters } from '../../../../collector/telemetry/meters.js';
import type { ReceivedEvent } from '../../../../core/contract/stages.js';
import { type RawPayload, weightOf } from '../../../../core/event/raw-payload.js';
import { createCachedGrouper, type Grouper } from '../../../../core/fingerprint/grouper.js';
import { DEFAULT_GROUPING } from '../../../../core/fingerprint/grouping-settings.js';
import type { RateLimitProcessorSettings, SampleProcessorSettings } from '../../../../generated/settings.js';
import { createMemoryConsumer } from '../../memory-consumer.js';

const COMMON = { interval: '1m', summary_interval: '10s', max_issues: 100, error_mode: 'ignore' } as const;

/** `rate_limit` that keeps two in a minute, unless told otherwise. */
export function rateLimited(changes: Partial<RateLimitProcessorSettings> = {}) {
  const settings: RateLimitProcessorSettings = { max_events: 2, ...COMMON, ...changes };
  return { rule: rateLimitRule(settings), settings };
}

/** `sample` that keeps the first two of a minute and one in five after them, unless told otherwise. */
export function sampled(changes: Partial<SampleProcessorSettings> = {}) {
  const settings: SampleProcessorSettings = { keep_first: 2, keep_one_in: 5, ...COMMON, ...changes };
  return { rule: sampleRule(settings), settings };
}

/** A processor before an in-memory consumer, with a clock that only the test moves. */
export async function startLine(
  { rule, settings }: ReturnType<typeof sampled> | ReturnType<typeof rateLimited>,
  more: SamplingBounds & Partial<Parameters<typeof createSamplingProcessor>[3]> = {},
) {
  const consumer = createMemoryConsumer();
  const meters = createMeters();
  const logged: Record<string, unknown>[] = [];
  const logger = pino({}, { write: (line: string) => void logged.push(JSON.parse(line)) });
  const clock = { nowMs: 1_000 };
  const grouper: Grouper = createCachedGrouper(DEFAULT_GROUPING);
  let look = (): void => {};
  const place = { consumer, meters, logger, grouper: () => grouper, ...more };
  const processor = createSamplingProcessor('sampling', rule, settings, place, {
    nowMs: () => clock.nowMs,
    every: (_, work) => {
      look = work;
      return () => {
        look = () => {};
      };
    },
    ...more,
  });
  await processor.start();
  return {
    processor,
    consumer,
    meters,
    logged,
    grouper,
    /** Hands payloads on in one batch and answers what became of each: `stored` or the reason. */
    async send(...payloads: RawPayload[]): Promise<string[]> {
      return words(await processor.consume({ receiver: 'events', events: payloads.map((payload) => ({ payload })) }));
    },
    /** Lets time pass, and the processor look once. */
    pass(ms: number): void {
      clock.nowMs += ms;
      look();
    },
  };
}

/** `stored`, or why not. */
export function words(outcomes: readonly Outcome[]): string[] {
  return outcomes.map((outcome) => (outcome.kind === 'stored' ? 'stored' : outcome.reason));
}

/** For how many events the stored ones of each error name stand. */
export function countsOf(events: readonly ReceivedEvent[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { payload } of events) {
    counts[payload.error_name] = (counts[payload.error_name] ?? 0) + weightOf(payload.extra);
  }
  return counts;
}

/** What each stored event says of further ones, in their order. */
export function weightsOf(events: readonly ReceivedEvent[]): number[] {
  return events.map(({ payload }) => weightOf(payload.extra));
}
