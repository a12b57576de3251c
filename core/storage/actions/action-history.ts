import type { IssueId } from '../../event/ids.js';
import { type IssueAction, issueIdsIn, undoneActions } from '../../issues/issue-action.js';
import { type FollowStep, foldGroups, followActions, type IssueGroups } from '../../issues/issue-groups.js';

const NO_ACTIONS: readonly IssueAction[] = [];
const FOLLOW_NOTHING = followActions([]);

/** Actions that change groups or undo others. */
const REGROUPING: ReadonlySet<string> = new Set(['merge', 'split', 'undo']);

/** The actions of a folder in memory; results are computed on demand. */
export class IssueActions {
  /** Loads what another process wrote; does nothing in the writing process. */
  readonly refresh: () => Promise<void>;
  /** Increases with every change. */
  version = 0;
  #log: IssueAction[] = [];
  /** Of the log; created on first use. */
  #ids: Set<string> | undefined;
  #steps: readonly FollowStep[] = [];
  /** Which issues now hold the events of an issue as of an instant. */
  follow = FOLLOW_NOTHING;
  #byIssue: Map<IssueId, IssueAction[]> | undefined;
  #undone: ReadonlySet<string> | undefined;
  #groups: IssueGroups | undefined;

  constructor(refresh: () => Promise<void> = async () => {}) {
    this.refresh = refresh;
  }

  get log(): readonly IssueAction[] {
    return this.#log;
  }

  /** Merged groups; a new object after every change. */
  get groups(): IssueGroups {
    this.#groups ??= foldGroups(
      this.#log.filter(({ id }) => !this.isUndone(id)),
      this.follow,
    );
    return this.#groups;
  }

  has(actionId: string): boolean {
    this.#ids ??= new Set(this.#log.map(({ id }) => id));
    return this.#ids.has(actionId);
  }

  /** Appends the newest action. */
  add(action: IssueAction): void {
    this.#log.push(action);
    this.#ids?.add(action.id);
    this.version += 1;
    // An undone action also undoes its consequences.
    if (REGROUPING.has(action.action) || action.action === 'reopen') this.#undone = undefined;
    if (REGROUPING.has(action.action)) this.#groups = undefined;
    if (this.#byIssue !== undefined) this.#assign(this.#byIssue, action);
  }

  /** Replaces all actions, which are in order of time. */
  replace(log: readonly IssueAction[], steps: readonly FollowStep[]): void {
    this.#log = [...log];
    this.#ids = undefined;
    this.#undone = undefined;
    this.followEvents(steps);
  }

  /** Replaces the regroupings, in order of time. */
  followEvents(steps: readonly FollowStep[]): void {
    this.#steps = steps;
    this.follow = followActions(steps);
    this.version += 1;
    this.#byIssue = undefined;
    this.#groups = undefined;
  }

  /** Whether events have moved between issues since an instant. */
  areRegroupedSince(atMicros: number): boolean {
    return this.#steps.some(({ fromMicros, beforeMicros }) => atMicros >= fromMicros && atMicros < beforeMicros);
  }

  /** The actions that apply to an issue, oldest first, undone ones included. */
  of(issueId: IssueId): readonly IssueAction[] {
    return this.#issues().get(issueId) ?? NO_ACTIONS;
  }

  /** The issues that now hold the events of those that an action is about. */
  issuesOf(action: IssueAction): readonly IssueId[] {
    return [action.issueId, ...issueIdsIn(action, 'issues')].flatMap((issueId) =>
      this.follow(issueId, action.atMicros),
    );
  }

  issueIds(): Iterable<IssueId> {
    return this.#issues().keys();
  }

  /** Whether the action, or the one that caused it, is undone. */
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
    for (const issueId of this.follow(action.issueId, action.atMicros)) {
      const actions = byIssue.get(issueId);
      if (actions === undefined) byIssue.set(issueId, [action]);
      else actions.push(action);
    }
  }
}
