import type { PreviewChange, PreviewIssue, RegroupPreview } from '../../../generated/reader-answers.js';
import { discardingFiles } from '../files/discarding-files.js';
import type { GroupingPlan } from '../groupings/grouping-log-plan.js';
import { beginEmptyIndex } from '../index/checkpoint/load-index.js';
import type { IndexContent } from '../index/content/index-content.js';
import type { IssueState } from '../index/content/issue-state.js';
import type { RemovalHistory } from '../index/content/removal.js';
import type { CreateGrouper } from '../index/event-groupers.js';
import type { IssueIndex } from '../index/issue-index.js';
import { eventIdOf } from '../index/read-event.js';
import { type ReplayIntoIndexOptions, replayIntoIndex } from '../index/replay-into-index.js';
import { type IssuePair, IssuePairs } from './issue-pairs.js';
import type { RegroupOptions } from './regrouping.js';

/** Inputs of a preview. */
export interface PreviewSource {
  /** Absolute path of the data folder. */
  readonly directory: string;
  record: ReplayIntoIndexOptions['record'];
  index: Pick<IssueIndex, 'content'>;
  history: RemovalHistory;
  createGrouper: CreateGrouper;
  onFault: (fault: Error) => void;
}

/** Groups the record by a plan into an index in memory, up to the current index, and compares both. Removals must be held. */
export async function runPreview(
  source: PreviewSource,
  plan: GroupingPlan,
  options: RegroupOptions & { signal: AbortSignal },
): Promise<RegroupPreview> {
  const { directory, record, index, history, createGrouper, onFault } = source;
  const { signal, onProgress } = options;
  const before = index.content;
  const { content } = await beginEmptyIndex({ files: discardingFiles, directory, history }, plan.id);
  const pairs = new IssuePairs(before, content);
  const totalEvents = before.segments.events;
  await replayIntoIndex({
    record,
    content,
    grouping: { plan, createGrouper },
    afterMicros: content.lastReceivedAtMicros,
    untilMicros: before.lastReceivedAtMicros,
    signal,
    onProgress: () => onProgress?.({ doneEvents: content.segments.events, totalEvents }),
    onFault,
    afterCommit: async () => {
      if (content.segments.unwritten === 0) return;
      // Sealed segments are discarded by the write, so they are paired first.
      const { segments } = content.segments.sealed;
      await pairs.add(false, signal);
      await content.segments.writeUpTo(segments);
    },
  });
  await pairs.add(true, signal);
  return previewOf(pairs, before, content);
}

const MAX_CHANGES = 50;
const MAX_PARTS = 20;

interface PairedIssue {
  readonly issue: IssueState;
  readonly pairs: IssuePair[];
  events: number;
}

function previewOf(pairs: IssuePairs, before: IndexContent, after: IndexContent): RegroupPreview {
  const earlier = groupPairs(pairs, before, 'before');
  const later = groupPairs(pairs, after, 'after');
  const successors = new Set([...earlier.values()].map((paired) => largest(paired.pairs, 1)[0]?.after));
  const merged = [...later.values()].filter((paired) => paired.pairs.length > 1);
  const split = [...earlier.values()].filter((paired) => paired.pairs.length > 1);
  const appeared = [...later.entries()].filter(([ordinal]) => !successors.has(ordinal)).map(([, paired]) => paired);
  let unchanged = 0;
  let renamed = 0;
  for (const { issue, pairs: ownPairs } of earlier.values()) {
    const [onlyPair] = ownPairs;
    const successor = onlyPair && later.get(onlyPair.after);
    if (ownPairs.length !== 1 || successor?.pairs.length !== 1) continue;
    if (successor.issue.issueId === issue.issueId) unchanged += 1;
    else renamed += 1;
  }
  const changes = (changed: PairedIssue[], others: IndexContent, side: 'before' | 'after'): PreviewChange[] =>
    largest(changed).map((paired) => changeOf(paired, others, side));
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
    appeared: largest(appeared).map(({ issue, pairs: ownPairs }) => issueOf(issue, ownPairs)),
  };
}

function groupPairs(pairs: IssuePairs, content: IndexContent, side: 'before' | 'after'): Map<number, PairedIssue> {
  const grouped = new Map<number, PairedIssue>();
  for (const pair of pairs.all()) {
    const ordinal = pair[side];
    const issue = content.issues.inOrder[ordinal];
    if (issue === undefined) continue;
    const paired = grouped.get(ordinal) ?? { issue, pairs: [], events: 0 };
    grouped.set(ordinal, paired);
    paired.pairs.push(pair);
    paired.events += pair.events;
  }
  return grouped;
}

function changeOf({ issue, pairs }: PairedIssue, others: IndexContent, side: 'before' | 'after'): PreviewChange {
  const parts = largest(pairs, MAX_PARTS).flatMap((pair) => {
    const other = others.issues.inOrder[pair[side]];
    return other === undefined ? [] : [issueOf(other, [pair])];
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

/** Ties stay in order of arrival. */
function largest<Item extends { readonly events: number }>(items: readonly Item[], most = MAX_CHANGES): Item[] {
  return items.toSorted((a, b) => b.events - a.events).slice(0, most);
}
