import type { IssueId } from '../event/ids.js';
import { type IssueAction, issueIdsIn } from './issue-action.js';

/** Which issues now stand for one that was acted on at an instant: itself, unless events were regrouped since. */
export type FollowIssue = (issueId: IssueId, atMicros: number) => readonly IssueId[];

/** Which issues are shown as one. */
export interface IssueGroups {
  /** The issue under which one is shown: itself where it is not merged into another. */
  shownAs(issueId: IssueId): IssueId;
  /** Members of the group of an issue, the one that stays first, the others in order of their merging; undefined where it stands alone. */
  membersOf(issueId: IssueId): readonly IssueId[] | undefined;
  /** The issues that stay. */
  readonly shown: readonly IssueId[];
}

/**
 * The groups that `merge` and `split` make, from the actions of a whole log that stand, oldest first.
 * `merge` puts the whole group of each named issue into the group of the issue that it is taken on; what is in it already stays where it is, so cycles
 * do not arise. `split` takes each named member out, with what had been merged into that one before: so it undoes a merge exactly.
 * The issue that stays cannot be taken out, and a split of what is not in the group does nothing.
 */
export function foldGroups(actions: readonly IssueAction[], follow: FollowIssue): IssueGroups {
  const trees = new MergeTrees();
  for (const action of actions) {
    if (action.action !== 'merge' && action.action !== 'split') continue;
    const [stays = action.issueId, ...parts] = follow(action.issueId, action.atMicros);
    const named = issueIdsIn(action, 'issues').flatMap((id) => follow(id, action.atMicros));
    // What was merged stays one, also where the events of the issue that stays are in several now.
    if (action.action === 'merge') for (const issueId of [...parts, ...named]) trees.merge(stays, issueId);
    else for (const root of [stays, ...parts]) trees.split(root, named);
  }
  return trees.groups();
}

/** What was merged into what: of each group a tree, whose root stays. */
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

  /** Each of them becomes one of its own, also those that had been merged into another of them. */
  split(from: IssueId, issueIds: readonly IssueId[]): void {
    const root = this.#rootOf(from);
    for (const issueId of issueIds.filter((one) => this.#rootOf(one) === root)) this.#detach(issueId);
  }

  #detach(issueId: IssueId): void {
    const parent = this.#parents.get(issueId);
    if (parent === undefined) return;
    this.#parents.delete(issueId);
    const left = (this.#children.get(parent) ?? []).filter((child) => child !== issueId);
    if (left.length === 0) this.#children.delete(parent);
    else this.#children.set(parent, left);
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

  /** Each one before what was merged into it; without recursion, because a row of merges may be as long as the log. */
  #membersOf(root: IssueId): IssueId[] {
    const members: IssueId[] = [];
    const open = [root];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      members.push(next);
      open.push(...(this.#children.get(next) ?? []).toReversed());
    }
    return members;
  }

  #rootOf(issueId: IssueId): IssueId {
    let root = issueId;
    for (let parent = this.#parents.get(root); parent !== undefined; parent = this.#parents.get(root)) root = parent;
    return root;
  }
}
