import type { IssueSummary } from '../../../generated/reader-answers.js';

/** Number of events in the list of an issue: without those sampled out, and with those that repeat an occurrence. */
export function storedEvents({ count, sampled, repeated = 0 }: IssueSummary): number {
  return count - sampled + repeated;
}
