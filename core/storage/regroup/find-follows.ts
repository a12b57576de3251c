import { type IssueId, toIssueId } from '../../event/ids.js';
import type { DataFolder } from '../files/store-files.js';
import type { IndexContent } from '../index/index-content.js';
import type { IssueActions } from '../issue-actions.js';
import type { Follows } from '../record/grouping-log-line.js';
import { readActions } from '../record/read-actions.js';
import type { IssuePairs } from './issue-pairs.js';

/** The actions of a folder: as they were written, and where they count now. */
export interface ActionsSource extends DataFolder {
  actions: Pick<IssueActions, 'follow'>;
}

/** Where the events of the issues with actions go, from the index before to the one after. Rejects with the system's error. */
export async function findFollows(
  source: ActionsSource,
  { before, after, pairs }: { before: IndexContent; after: IndexContent; pairs: IssuePairs },
): Promise<Follows> {
  const acted = await actedIssues(source);
  const follows = new Map<IssueId, IssueId[]>();
  if (acted.size === 0) return follows;
  for (const pair of pairs.all) {
    const from = before.issues.inOrder[pair.before]?.issueId;
    const to = after.issues.inOrder[pair.after]?.issueId;
    if (from === undefined || to === undefined || !acted.has(from)) continue;
    const known = follows.get(from);
    if (known === undefined) follows.set(from, [to]);
    else known.push(to);
  }
  // One that lost events to retention is there under its own name still.
  for (const [issueId, targets] of follows) {
    if (!targets.includes(issueId) && after.issues.get(issueId) !== undefined) targets.push(issueId);
    if (targets.length === 1 && targets[0] === issueId) follows.delete(issueId);
  }
  return follows;
}

/** The issues that actions were taken on or name, as they are called now. */
async function actedIssues({ directory, files, actions }: ActionsSource): Promise<Set<IssueId>> {
  const acted = new Set<IssueId>();
  for (const { issueId, data, atMicros } of (await readActions({ directory, files })).actions) {
    const { issues } = data;
    const named = Array.isArray(issues) ? issues.filter((one) => typeof one === 'string') : [];
    for (const one of [issueId, ...named.flatMap((text) => toIssueId(text) ?? [])]) {
      for (const now of actions.follow(one, atMicros)) acted.add(now);
    }
  }
  return acted;
}
