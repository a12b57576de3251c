import type { IssueCounts } from '../../generated/reader-answers.js';
import { beginTimeSlice } from '../time-slice.js';
import type { IssueStandings } from './issue-standings.js';
import type { MergedIssues } from './merged-issues.js';

/** What is counted. */
export interface CountedIssues {
  /** Ordinals below it are looked at. */
  readonly length: number;
  readonly standings: IssueStandings;
  readonly merged: Pick<MergedIssues, 'hidden'>;
  /** By ordinal; absent: all match. */
  readonly matches?: ((ordinal: number) => boolean) | undefined;
}

/** Issues between two looks at the clock. */
const ISSUES_PER_LOOK = 256;

/** Counts issues by state in one pass, in slices, so that the event loop turns. */
export async function countIssues({ length, standings, merged, matches }: CountedIssues): Promise<IssueCounts> {
  const counts: IssueCounts = { all: 0, open: 0, new: 0, regressed: 0, ignored: 0, resolved: 0, spiking: 0 };
  const count = (first: number, end: number): void => {
    for (let ordinal = first; ordinal < end; ordinal += 1) {
      if ((merged.hidden.size > 0 && merged.hidden.has(ordinal)) || matches?.(ordinal) === false) continue;
      const status = standings.statusOf(ordinal);
      counts.all += 1;
      counts[status] += 1;
      if (status === 'open' && standings.isNew(ordinal)) counts.new += 1;
      if (standings.isRegressed(ordinal)) counts.regressed += 1;
      if (standings.isSpiking(ordinal)) counts.spiking += 1;
    }
  };
  const slice = beginTimeSlice();
  for (let first = 0; first < length; first += ISSUES_PER_LOOK) {
    if (slice.isOver) await slice.next();
    count(first, Math.min(first + ISSUES_PER_LOOK, length));
  }
  return counts;
}
