import type { IssueId } from '../../event/ids.js';
import type { IssueGroups } from '../../issues/issue-groups.js';
import type { IssueActions } from '../actions/action-history.js';
import type { IndexContent } from '../index/content/index-content.js';
import type { IssueState } from '../index/content/issue-state.js';
import { mergeStates } from './merge-states.js';

/** Caches the merged groups; call `current` for every request. */
export class MergedIssuesCache {
  readonly #actions: IssueActions;
  #content: IndexContent | undefined;
  #groups: IssueGroups | undefined;
  /** Issues in the index when the groups were computed: a member may arrive after its merge. */
  #issues = 0;
  #merged = new MergedIssues([]);

  constructor(actions: IssueActions) {
    this.#actions = actions;
  }

  /** The groups by the current actions and events. */
  current(content: IndexContent): MergedIssues {
    const { groups } = this.#actions;
    const { length } = content.issues.inOrder;
    if (groups !== this.#groups || length !== this.#issues || content !== this.#content) {
      this.#groups = groups;
      this.#issues = length;
      this.#content = content;
      const statesOf = (issueIds: readonly IssueId[]) => issueIds.flatMap((id) => content.issues.get(id) ?? []);
      this.#merged = new MergedIssues(groups.shown.map((shown) => statesOf(groups.membersOf(shown) ?? [])));
    }
    this.#merged.refresh();
    return this.#merged;
  }
}

/** Merged groups; the index keeps one issue for each fingerprint. */
export class MergedIssues {
  /** Ordinals shown as part of another issue. */
  readonly hidden: ReadonlySet<number>;
  /** By ordinal of the surviving issue. */
  readonly shown = new Map<number, IssueState>();
  readonly #groups: readonly (readonly IssueState[])[];
  readonly #byOrdinal = new Map<number, readonly IssueState[]>();
  /** Event counts of the members at the last combination. */
  readonly #versions: string[] = [];

  constructor(groups: readonly (readonly IssueState[])[]) {
    this.#groups = groups.filter((members) => members.length > 1);
    const hidden = new Set<number>();
    for (const members of this.#groups) {
      for (const [index, { ordinal }] of members.entries()) {
        this.#byOrdinal.set(ordinal, members);
        if (index > 0) hidden.add(ordinal);
      }
    }
    this.hidden = hidden;
  }

  /** The members of an ordinal's group, the surviving one first; undefined without a group. */
  membersOf(ordinal: number): readonly IssueState[] | undefined {
    return this.#byOrdinal.get(ordinal);
  }

  /** Recombines groups whose members gained or lost events. */
  refresh(): void {
    for (const [index, members] of this.#groups.entries()) {
      const version = members.map(({ count, removed }) => `${count}-${removed}`).join(' ');
      const [survivor] = members;
      if (version === this.#versions[index] || survivor === undefined) continue;
      this.#versions[index] = version;
      this.shown.set(survivor.ordinal, mergeStates(survivor, members));
    }
  }
}
