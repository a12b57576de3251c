import type { IssueId } from '../../event/ids.js';
import type { IssueGroups } from '../../issues/issue-groups.js';
import type { IssueActions } from '../actions/action-history.js';
import type { IndexContent } from '../index/content/index-content.js';
import type { IssueState } from '../index/content/issue-state.js';
import { mergeStates } from './merge-states.js';

/** The groups that actions make of issues; call `current` anew for each answer. */
export class MergedView {
  readonly #actions: IssueActions;
  #content: IndexContent | undefined;
  #groups: IssueGroups | undefined;
  /** Issues that the index held when the groups were looked up: a member may come later than its merging. */
  #issues = 0;
  #merged = new MergedIssues([]);

  constructor(actions: IssueActions) {
    this.#actions = actions;
  }

  /** As actions and events of an index are now. */
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

/** Merged issues are a view: the index keeps one issue for each fingerprint, and readers show groups of them under the one that stays. */
export class MergedIssues {
  /** Ordinals that are shown as part of another issue. */
  readonly hidden: ReadonlySet<number>;
  /** By ordinal of the issue that stays: the group as one. */
  readonly shown = new Map<number, IssueState>();
  readonly #groups: readonly (readonly IssueState[])[];
  readonly #byOrdinal = new Map<number, readonly IssueState[]>();
  /** What the shown state of each group was made of. */
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

  /** Members of the group of an ordinal, the one that stays first; undefined where it stands alone. */
  membersOf(ordinal: number): readonly IssueState[] | undefined {
    return this.#byOrdinal.get(ordinal);
  }

  /** Makes groups anew whose members took or lost events. */
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
