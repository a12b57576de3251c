import type { IssueSummary } from '../../../generated/reader-answers.js';

/** Number of events in the list of an issue; undefined if some are perhaps shown with others, as reports of one occurrence are. */
export function listedEvents({ count, sampled, repeated = 0 }: IssueSummary): number | undefined {
  return repeated === 0 ? count - sampled : undefined;
}
