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
      issues = [...new Set(issues.flatMap((one) => follows.get(one) ?? one))];
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
  const trees = new MergeTrees();
  for (const action of actions) {
    if (action.action !== 'merge' && action.action !== 'split') continue;
    const [target = action.issueId, ...others] = follow(action.issueId, action.atMicros);
    const named = issueIdsIn(action, 'issues').flatMap((id) => follow(id, action.atMicros));
    // A regrouping may have spread the events of the target over several issues: they stay one group.
    if (action.action === 'merge') for (const issueId of [...others, ...named]) trees.merge(target, issueId);
    else for (const root of [target, ...others]) trees.split(root, named);
  }
  return trees.groups();
}

/** A tree per group; its root is the remaining issue. */
class MergeTrees {
  readonly #parents = new Map<IssueId, IssueId>();
  readonly #children = new Map<IssueId, IssueId[]>();

  merge(into: IssueId, issueId: IssueId): void {
    const [root, merged] = [this.#rootOf(into), this.#rootOf(issueId)];
    if (root === merged) return;
    this.#parents.set(merged, root);
    const children = this.#children.get(root);
    if (children === undefined) this.#children.set(root, [merged]);
    else children.push(merged);
  }

  /** Detaches each issue, also those that were merged into another of them. */
  split(from: IssueId, issueIds: readonly IssueId[]): void {
    const root = this.#rootOf(from);
    for (const issueId of issueIds.filter((one) => this.#rootOf(one) === root)) this.#detach(issueId);
  }

  #detach(issueId: IssueId): void {
    const parent = this.#parents.get(issueId);
    if (parent === undefined) return;
    this.#parents.delete(issueId);
    const remaining = (this.#children.get(parent) ?? []).filter((child) => child !== issueId);
    if (remaining.length === 0) this.#children.delete(parent);
    else this.#children.set(parent, remaining);
  }

  groups(): IssueGroups {
    const groups = new Map<IssueId, readonly IssueId[]>();
    const shownAs = new Map<IssueId, IssueId>();
    for (const root of this.#children.keys()) {
      if (this.#parents.has(root)) continue;
      const members = this.#membersOf(root);
      groups.set(root, members);
      for (const member of members) shownAs.set(member, root);
    }
    const rootOf = (issueId: IssueId): IssueId => shownAs.get(issueId) ?? issueId;
    return { shownAs: rootOf, membersOf: (issueId) => groups.get(rootOf(issueId)), shown: [...groups.keys()] };
  }

  /** Pre-order; without recursion, because a chain of merges may be as long as the log. */
  #membersOf(root: IssueId): IssueId[] {
    const members: IssueId[] = [];
    const pending = [root];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      members.push(next);
      pending.push(...(this.#children.get(next) ?? []).toReversed());
    }
    return members;
  }

  #rootOf(issueId: IssueId): IssueId {
    let root = issueId;
    for (let parent = this.#parents.get(root); parent !== undefined; parent = this.#parents.get(root)) root = parent;
    return root;
  }
}
