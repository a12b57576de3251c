import type { FailureReader } from '../../../core/contract/reader.js';
import type { IssueId } from '../../../core/event/ids.js';
import { wait } from '../sending/wait.js';
import type { AlertBook } from './alert-book.js';

const LOOK_INTERVAL_MS = 60_000;
/** The longest list that is read at once. */
const PAGE_LIMIT = 500;

/** Forgets spikes that are over until it is told to stop: no event says so, only the clock does. Rejects with what the reader does. */
export async function watchSpikes(
  reader: Pick<FailureReader, 'getIssue'>,
  book: Pick<AlertBook, 'spikes' | 'forgetSpike'>,
  stop: AbortSignal,
): Promise<void> {
  while (!stop.aborted) {
    for (const issueId of book.spikes) {
      if (stop.aborted) return;
      const issue = await reader.getIssue(issueId);
      if (issue?.spiking !== true) book.forgetSpike(issueId);
    }
    await wait(LOOK_INTERVAL_MS, stop);
  }
}

/** Issues that spike now, at most 500. */
export async function spikingNow(reader: Pick<FailureReader, 'listIssues'>): Promise<IssueId[]> {
  const { issues } = await reader.listIssues({ query: 'is:spiking', limit: PAGE_LIMIT });
  return issues.map(({ issue_id: issueId }) => issueId);
}
