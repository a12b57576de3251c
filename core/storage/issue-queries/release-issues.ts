import { compareTexts } from '../../event/text.js';
import { inTimeSlices } from '../../time-slice.js';
import type { ReleaseCount } from '../index/segments/release-counts.js';
import type { ReleaseIssues } from '../releases/summarize-release.js';
import type { IssueLifecycles } from './issue-lifecycles.js';

/** Counts the issues of each release, in time slices. */
export async function countReleaseIssues(
  lifecycles: IssueLifecycles,
  seen: readonly ReleaseCount[],
): Promise<ReleaseIssues> {
  const counts = { new: new Map(), regressed: new Map(), gone: new Map() } satisfies ReleaseIssues;
  const add = (of: Map<string, number>, name: string) => of.set(name, (of.get(name) ?? 0) + 1);
  // By name if they were first seen together, so that a rebuilt index counts the same.
  const inOrder = seen.toSorted((a, b) => a.firstSeenMs - b.firstSeenMs || compareTexts(a.name, b.name));
  const names = inOrder.map(({ name }) => name);
  const nextOf = new Map(names.map((name, index) => [name, names[index + 1]]));
  const { issues, merged } = lifecycles;
  await inTimeSlices(issues.inOrder.length, (ordinal) => {
    const issue = merged.shown.get(ordinal) ?? issues.inOrder[ordinal];
    if (issue === undefined || merged.hidden.has(ordinal)) return;
    const { firstRelease, releases } = issue;
    if (firstRelease !== '') add(counts.new, firstRelease);
    for (const release of releases) {
      const next = nextOf.get(release);
      if (next !== undefined && !releases.includes(next)) add(counts.gone, next);
    }
  });
  const actedOn = [...lifecycles.actedOn()];
  await inTimeSlices(actedOn.length, (index) => {
    const ordinal = actedOn[index] ?? 0;
    const issue = merged.shown.get(ordinal) ?? issues.inOrder[ordinal];
    const release = issue && lifecycles.lifecycleOf(issue).regressedIn;
    if (release != null) add(counts.regressed, release);
  });
  return counts;
}
