import type { IssueId } from '../../event/ids.js';
import type { IssueAction } from '../../issues/issue-action.js';
import {
  type FollowIssue,
  type FollowStep,
  foldGroups,
  followActions,
  type IssueGroups,
} from '../../issues/issue-groups.js';
import { undoneActions } from '../../issues/undone-actions.js';

const NO_ACTIONS: readonly IssueAction[] = [];
const FOLLOW_NOTHING = followActions([]);

/** What changes groups, or what stands. */
const REGROUPING: ReadonlySet<string> = new Set(['merge', 'split', 'undo']);

/** The actions of a folder in memory: they are few. What they come to is folded when it is asked for. */
export class IssueActions {
  /** Takes in what somebody else wrote; returns at once where this process is the writer. */
  readonly refresh: () => Promise<void>;
  /** Another number whenever anything changed. */
  version = 0;
  #log: IssueAction[] = [];
  #follow = FOLLOW_NOTHING;
  #byIssue: Map<IssueId, IssueAction[]> | undefined;
  #undone: ReadonlySet<string> | undefined;
  #groups: IssueGroups | undefined;

  constructor(refresh: () => Promise<void> = async () => {}) {
    this.refresh = refresh;
  }

  /** All actions, oldest first. */
  get log(): readonly IssueAction[] {
    return this.#log;
  }

  /** Which issues now hold what one held when it was acted on. */
  get follow(): FollowIssue {
    return this.#follow;
  }

  /** What was merged; another object whenever it changed. */
  get groups(): IssueGroups {
    this.#groups ??= foldGroups(
      this.#log.filter(({ id }) => !this.isUndone(id)),
      this.#follow,
    );
    return this.#groups;
  }

  /** Takes the action that was taken last. */
  add(action: IssueAction): void {
    this.#log.push(action);
    this.version += 1;
    // A consequence stands or falls with its cause.
    if (REGROUPING.has(action.action) || action.action === 'reopen') this.#undone = undefined;
    if (REGROUPING.has(action.action)) this.#groups = undefined;
    if (this.#byIssue !== undefined) this.#assign(this.#byIssue, action);
  }

  /** Takes all actions anew, in order of time. */
  replace(log: readonly IssueAction[], steps: readonly FollowStep[]): void {
    this.#log = [...log];
    this.#undone = undefined;
    this.followEvents(steps);
  }

  /** Says where events went when they were regrouped; all steps, in order of time. */
  followEvents(steps: readonly FollowStep[]): void {
    this.#follow = followActions(steps);
    this.version += 1;
    this.#byIssue = undefined;
    this.#groups = undefined;
  }

  /** The actions that count for one issue, oldest first; undone ones too. */
  of(issueId: IssueId): readonly IssueAction[] {
    return this.#issues().get(issueId) ?? NO_ACTIONS;
  }

  /** The issues that have any. */
  issueIds(): Iterable<IssueId> {
    return this.#issues().keys();
  }

  /** Whether a later `undo` took an action out, or the one that caused it. */
  isUndone(actionId: string): boolean {
    this.#undone ??= undoneActions(this.#log);
    return this.#undone.has(actionId);
  }

  #issues(): Map<IssueId, IssueAction[]> {
    if (this.#byIssue === undefined) {
      this.#byIssue = new Map();
      for (const action of this.#log) this.#assign(this.#byIssue, action);
    }
    return this.#byIssue;
  }

  #assign(byIssue: Map<IssueId, IssueAction[]>, action: IssueAction): void {
    for (const issueId of this.#follow(action.issueId, action.atMicros)) {
      const actions = byIssue.get(issueId);
      if (actions === undefined) byIssue.set(issueId, [action]);
      else actions.push(action);
    }
  }
}
