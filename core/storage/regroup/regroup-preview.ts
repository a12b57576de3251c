import type { PreviewChange, PreviewIssue, RegroupPreview } from '../../../generated/reader-answers.js';
import type { IndexContent } from '../index/index-content.js';
import type { IssueState } from '../index/issue-state.js';
import { eventIdOf } from '../read-event.js';
import type { IssuePair, IssuePairs } from './issue-pairs.js';

const MOST_CHANGES = 50;
const MOST_PARTS = 20;

/** An issue with the pairs in which it is. */
interface Paired {
  readonly issue: IssueState;
  readonly pairs: IssuePair[];
  events: number;
}

/** Tells what becomes of the issues of one index in another one. */
export function previewOf(pairs: IssuePairs, before: IndexContent, after: IndexContent): RegroupPreview {
  const earlier = groupPairs(pairs, before, 'before');
  const later = groupPairs(pairs, after, 'after');
  const heirs = new Set([...earlier.values()].map((one) => largestOf(one.pairs)?.after));
  const merged = [...later.values()].filter((one) => one.pairs.length > 1);
  const split = [...earlier.values()].filter((one) => one.pairs.length > 1);
  const appeared = [...later.entries()].filter(([ordinal]) => !heirs.has(ordinal)).map(([, one]) => one);
  let unchanged = 0;
  let renamed = 0;
  for (const { issue, pairs: of } of earlier.values()) {
    const [only] = of;
    const heir = only && later.get(only.after);
    if (of.length !== 1 || heir?.pairs.length !== 1) continue;
    if (heir.issue.issueId === issue.issueId) unchanged += 1;
    else renamed += 1;
  }
  const changes = (found: Paired[], others: IndexContent, side: 'before' | 'after'): PreviewChange[] =>
    largest(found).map((one) => changeOf(one, others, side));
  return {
    events: pairs.events,
    issues_before: earlier.size,
    issues_after: later.size,
    unchanged_total: unchanged,
    renamed_total: renamed,
    merged_total: merged.length,
    merged: changes(merged, before, 'before'),
    split_total: split.length,
    split: changes(split, after, 'after'),
    appeared_total: appeared.length,
    appeared: largest(appeared).map((one) => issueOf(one.issue, one.pairs)),
  };
}

function groupPairs(pairs: IssuePairs, content: IndexContent, side: 'before' | 'after'): Map<number, Paired> {
  const grouped = new Map<number, Paired>();
  for (const pair of pairs.all) {
    const ordinal = pair[side];
    const issue = content.issues.inOrder[ordinal];
    if (issue === undefined) continue;
    const known = grouped.get(ordinal) ?? { issue, pairs: [], events: 0 };
    grouped.set(ordinal, known);
    known.pairs.push(pair);
    known.events += pair.events;
  }
  return grouped;
}

function changeOf({ issue, pairs }: Paired, others: IndexContent, side: 'before' | 'after'): PreviewChange {
  const parts = largest(pairs, MOST_PARTS).flatMap((pair) => {
    const part = others.issues.inOrder[pair[side]];
    return part === undefined ? [] : [issueOf(part, [pair])];
  });
  return { ...issueOf(issue, pairs), parts, parts_total: pairs.length };
}

function issueOf(issue: IssueState, pairs: readonly IssuePair[]): PreviewIssue {
  const { issueId, fingerprint, app, service, title, culprit } = issue;
  const events = pairs.reduce((sum, pair) => sum + pair.events, 0);
  const [first] = largest(pairs, 1);
  const samples = first?.samples.map((row) => eventIdOf(row)) ?? [];
  return { issue_id: issueId, fingerprint, app, service, title, culprit, events, sample_events: samples };
}

function largestOf(pairs: readonly IssuePair[]): IssuePair | undefined {
  return largest(pairs, 1)[0];
}

/** Ties are left as they were found, which is by arrival. */
function largest<One extends { readonly events: number }>(found: readonly One[], most = MOST_CHANGES): One[] {
  return [...found].sort((a, b) => b.events - a.events).slice(0, most);
}
