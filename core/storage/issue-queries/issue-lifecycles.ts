import type { IssueId } from '../../event/ids.js';
import type { IssueAction } from '../../issues/issue-action.js';
import { foldLifecycle, type Lifecycle, UNTOUCHED } from '../../issues/lifecycle.js';
import { isSpiking } from '../../issues/spiking.js';
import type { IssueActions } from '../actions/action-history.js';
import type { IssueState } from '../index/content/issue-state.js';
import type { IssueTable } from '../index/content/issue-table.js';
import { hourOfMs, lastHours } from '../index/count-event.js';
import type { MergedIssues } from './merged-issues.js';

const NEW_FOR_MICROS = 24 * 3_600_000_000;

/** What actions and events make of the issues of one index at an instant; groups of merged ones are asked for by any of their members. */
export class IssueLifecycles {
  readonly merged: MergedIssues;
  readonly nowMs: number;
  readonly issues: IssueTable;
  readonly actions: IssueActions;

  constructor(issues: IssueTable, actions: IssueActions, merged: MergedIssues, nowMs: number) {
    this.issues = issues;
    this.actions = actions;
    this.merged = merged;
    this.nowMs = nowMs;
  }

  /** The issue as it is shown: the group of a merged one. */
  shownAs(issue: IssueState): IssueState {
    const { ordinal } = this.merged.membersOf(issue.ordinal)?.[0] ?? issue;
    return this.merged.shown.get(ordinal) ?? issue;
  }

  /** The issue that is shown, and those that were merged into it. */
  membersOf(issue: IssueState): readonly IssueState[] {
    return this.merged.membersOf(issue.ordinal) ?? [issue];
  }

  /** The shown issues that were acted on, by ordinal. */
  *actedOn(): Iterable<number> {
    for (const issueId of this.actions.issueIds()) {
      const found = this.#idsOf(issueId).find((member) => this.issues.get(member) !== undefined);
      const issue = found && this.issues.get(found);
      if (issue !== undefined) yield this.shownAs(issue).ordinal;
    }
  }

  /** All actions of a group, also those of members that hold no events here, oldest first. */
  actionsOf({ issueId }: IssueState): readonly IssueAction[] {
    const [first = issueId, ...others] = this.#idsOf(issueId);
    const actions = this.actions.of(first);
    if (others.length === 0) return actions;
    const all = new Map(actions.map((action) => [action.id, action]));
    for (const other of others) for (const action of this.actions.of(other)) all.set(action.id, action);
    return [...all.values()].sort((left, right) => left.atMicros - right.atMicros);
  }

  /** `shown` is an issue as `shownAs` gives it. */
  lifecycleOf(shown: IssueState): Lifecycle {
    const actions = this.actionsOf(shown);
    if (actions.length === 0) return UNTOUCHED;
    const standing = actions.filter(({ id }) => !this.actions.isUndone(id));
    const { lastReceivedAtMicros, releases, releasesReceivedAtMicros } = shown;
    const eventsOf = (issueIds: readonly IssueId[], atMicros: number): number => this.eventsOf(issueIds, atMicros);
    return foldLifecycle(standing, { lastReceivedAtMicros, releases, releasesReceivedAtMicros, eventsOf }, this.nowMs);
  }

  /** Events that ever came to issues as they were at an instant, also those that were not stored. */
  eventsOf(issueIds: readonly IssueId[], atMicros: number): number {
    const followed = new Set(issueIds.flatMap((issueId) => this.actions.follow(issueId, atMicros)));
    let events = 0;
    for (const issueId of followed) {
      const issue = this.issues.get(issueId);
      if (issue !== undefined) events += issue.count + issue.removed;
    }
    return events;
  }

  isNew({ firstReceivedAtMicros }: IssueState, { status }: Lifecycle): boolean {
    return status === 'open' && isFresh(firstReceivedAtMicros, this.nowMs);
  }

  isSpiking({ hours, firstSeenMs }: IssueState): boolean {
    const nowHour = hourOfMs(this.nowMs);
    // Nearly all issues were quiet in the hours that are looked at.
    if ((hours.at(-2) ?? 0) < nowHour - 1) return false;
    return isSpiking(lastHours(hours, nowHour), nowHour - hourOfMs(firstSeenMs));
  }

  #idsOf(issueId: IssueId): readonly IssueId[] {
    return this.actions.groups.membersOf(issueId) ?? [issueId];
  }
}

/** Whether an issue whose first event was received at an instant is new, where it is open. */
export function isFresh(firstReceivedAtMicros: number, nowMs: number): boolean {
  return nowMs * 1000 - firstReceivedAtMicros < NEW_FOR_MICROS;
}
