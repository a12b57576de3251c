import { pino } from 'pino';
import type { Outcome } from '../../../../collector/component/consumer.js';
import {
  type SamplingBounds,
  SamplingProcessor,
} from '../../../../collector/processors/sampling/sampling-processor.js';
import { rateLimitRule, sampleRule } from '../../../../collector/processors/sampling/sampling-rule.js';
import { Meters } from '../../../../collector/telemetry/meters.js';
import type { ReceivedEvent } from '../../../../core/contract/stages.js';
import { type RawPayload, weightOf } from '../../../../core/event/raw-payload.js';
import { createCachedGrouper, type Grouper } from '../../../../core/fingerprint/grouper.js';
import { DEFAULT_GROUPING } from '../../../../core/fingerprint/grouping-settings.js';
import type { RateLimitProcessorSettings, SampleProcessorSettings } from '../../../../generated/settings.js';
import { createMemoryConsumer } from '../../memory-consumer.js';

const COMMON = { interval: '1m', summary_interval: '10s', max_issues: 100, error_mode: 'ignore' } as const;

/** `rate_limit` that by default samples in two events a minute. */
export function rateLimited(changes: Partial<RateLimitProcessorSettings> = {}) {
  const settings: RateLimitProcessorSettings = { max_events: 2, ...COMMON, ...changes };
  return { rule: rateLimitRule(settings), settings };
}

/** `sample` that by default samples in the first two events of a minute and one in five of the others. */
export function sampled(changes: Partial<SampleProcessorSettings> = {}) {
  const settings: SampleProcessorSettings = { keep_first: 2, keep_one_in: 5, ...COMMON, ...changes };
  return { rule: sampleRule(settings), settings };
}

/** Starts a processor before a consumer in memory, with a clock that only the test advances. */
export async function startSampling(
  { rule, settings }: ReturnType<typeof sampled> | ReturnType<typeof rateLimited>,
  more: SamplingBounds & Partial<ConstructorParameters<typeof SamplingProcessor>[3]> = {},
) {
  const consumer = createMemoryConsumer();
  const meters = new Meters();
  const logged: Record<string, unknown>[] = [];
  const logger = pino({}, { write: (line: string) => void logged.push(JSON.parse(line)) });
  const clock = { nowMs: 1_000 };
  const grouper: Grouper = createCachedGrouper(DEFAULT_GROUPING);
  let check = (): void => {};
  const context = { consumer, meters, logger, grouper: () => grouper, ...more };
  const processor = new SamplingProcessor('sampling', rule, settings, context, {
    nowMs: () => clock.nowMs,
    every: (_, work) => {
      check = work;
      return () => {
        check = () => {};
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
    /** Sends payloads in one batch; returns the outcome of each: `stored` or the reason. */
    async send(...payloads: RawPayload[]): Promise<string[]> {
      return outcomeTexts(
        await processor.consume({ receiver: 'events', events: payloads.map((payload) => ({ payload })) }),
      );
    },
    /** Advances the clock, and runs the periodic work of the processor once. */
    pass(ms: number): void {
      clock.nowMs += ms;
      check();
    },
  };
}

/** `stored` or the reason for each outcome. */
export function outcomeTexts(outcomes: readonly Outcome[]): string[] {
  return outcomes.map((outcome) => (outcome.kind === 'stored' ? 'stored' : outcome.reason));
}

/** The sum of weights of the stored events by error name. */
export function countsOf(events: readonly ReceivedEvent[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { payload } of events) {
    counts[payload.error_name] = (counts[payload.error_name] ?? 0) + weightOf(payload.extra);
  }
  return counts;
}

/** The weight of each stored event, in order. */
export function weightsOf(events: readonly ReceivedEvent[]): number[] {
  return events.map(({ payload }) => weightOf(payload.extra));
}
