import type { IssueId } from '../event/ids.js';
import { type IssueAction, issueIdsIn } from './issue-action.js';

/** Returns the issues that now hold the events an issue held at an instant: itself, unless events were regrouped since. */
export type FollowIssue = (issueId: IssueId, atMicros: number) => readonly IssueId[];

/** Where a regrouping, or its rollback, moved events. */
export interface FollowStep {
  /** Applies to actions from this instant: 0, or for a rollback the instant of the regrouping. */
  readonly fromMicros: number;
  /** Applies to actions before this instant, that of the regrouping. */
  readonly beforeMicros: number;
  /** The issues that now hold the events of an issue; an issue without an entry kept its events. */
  readonly follows: ReadonlyMap<IssueId, readonly IssueId[]>;
}

/** Moves actions through `steps` in order of time. A regrouping that was rolled back is not a step; its rollback is, for what lies between. */
export function followActions(steps: readonly FollowStep[]): FollowIssue {
  return (issueId, atMicros) => {
    let issues: readonly IssueId[] = [issueId];
    for (const { fromMicros, beforeMicros, follows } of steps) {
      if (atMicros < fromMicros || atMicros >= beforeMicros) continue;
      issues = [...new Set(issues.flatMap((issue) => follows.get(issue) ?? issue))];
    }
    return issues;
  };
}

/** Groups of merged issues. */
export interface IssueGroups {
  /** The issue that shows an issue: itself unless it is merged into another. */
  shownAs(issueId: IssueId): IssueId;
  /** The group of an issue: the remaining issue, then the others in order of merging; undefined if it is not merged. */
  membersOf(issueId: IssueId): readonly IssueId[] | undefined;
  /** The remaining issue of each group. */
  readonly shown: readonly IssueId[];
}

/**
 * The groups that `merge` and `split` make, from all actions of the log that are not undone, oldest first. `merge` adds the whole group of each named issue; members
 * stay where they are, so cycles cannot arise. `split` removes each named member with everything merged into it before, which undoes a merge exactly;
 * it ignores the remaining issue and issues of other groups.
 */
export function foldGroups(actions: readonly IssueAction[], follow: FollowIssue): IssueGroups {
  const parents = new MergeParents();
  for (const action of actions) {
    if (action.action !== 'merge' && action.action !== 'split') continue;
    // A regrouping may have spread the events of the target over several issues.
    const [target = action.issueId, ...others] = follow(action.issueId, action.atMicros);
    const named = issueIdsIn(action, 'issues').flatMap((id) => follow(id, action.atMicros));
    if (action.action === 'merge') parents.merge(target, [...others, ...named]);
    else for (const issueId of [target, ...others]) parents.split(issueId, named);
  }
  return groupsOf(parents.byMerged);
}

class MergeParents {
  /** Of each merged issue the one that it was merged into; those of one issue in order of merging. */
  readonly byMerged = new Map<IssueId, IssueId>();

  merge(target: IssueId, issueIds: readonly IssueId[]): void {
    for (const issueId of issueIds) {
      const root = this.#rootOf(target);
      const merged = this.#rootOf(issueId);
      if (root !== merged) this.byMerged.set(merged, root);
    }
  }

  /** Detaches those of some issues that are in the group of another one. */
  split(issueId: IssueId, named: readonly IssueId[]): void {
    const root = this.#rootOf(issueId);
    // Chosen before the first is detached: some may be merged into others of them.
    for (const member of named.filter((id) => this.#rootOf(id) === root)) this.byMerged.delete(member);
  }

  #rootOf(issueId: IssueId): IssueId {
    let root = issueId;
    for (let parent = this.byMerged.get(root); parent !== undefined; parent = this.byMerged.get(root)) root = parent;
    return root;
  }
}

function groupsOf(parents: ReadonlyMap<IssueId, IssueId>): IssueGroups {
  const children = new Map<IssueId, IssueId[]>();
  for (const [merged, parent] of parents) {
    const siblings = children.get(parent) ?? [];
    siblings.push(merged);
    children.set(parent, siblings);
  }
  const groups = new Map<IssueId, readonly IssueId[]>();
  const shownAs = new Map<IssueId, IssueId>();
  for (const root of children.keys()) {
    if (parents.has(root)) continue;
    const members: IssueId[] = [];
    // Pre-order; without recursion, because a chain of merges may be as long as the log.
    const pending = [root];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      members.push(next);
      shownAs.set(next, root);
      pending.push(...(children.get(next) ?? []).toReversed());
    }
    groups.set(root, members);
  }
  const rootOf = (issueId: IssueId): IssueId => shownAs.get(issueId) ?? issueId;
  return { shownAs: rootOf, membersOf: (issueId) => groups.get(rootOf(issueId)), shown: [...groups.keys()] };
}
