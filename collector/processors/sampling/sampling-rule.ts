import { parseDuration } from '../../../config/values/duration.js';
import type { RateLimitProcessorSettings, SampleProcessorSettings } from '../../../generated/settings.js';

/** Decides which events of an issue are sampled in. */
export interface SamplingRule {
  /** Length of an interval. */
  readonly intervalMs: number;
  /** Whether an event is sampled in after `seen` others of its interval; true for 0. */
  readonly samplesIn: (seen: number) => boolean;
  /** Reason code of sampled-out events. */
  readonly reason: string;
}

/** `rate_limit`: the first `max_events` of each interval. */
export function rateLimitRule({ max_events: most, interval }: RateLimitProcessorSettings): SamplingRule {
  return { intervalMs: parseDuration(interval), samplesIn: (seen) => seen < most, reason: 'RATE_LIMITED' };
}

/** `sample`: the first `keep_first` of each interval, and every `keep_one_in`th of those after them. */
export function sampleRule({ keep_first: first, keep_one_in: share, interval }: SampleProcessorSettings): SamplingRule {
  const keeps = (seen: number): boolean => seen < first || (seen - first + 1) % share === 0;
  return { intervalMs: parseDuration(interval), samplesIn: keeps, reason: 'SAMPLED' };
}
