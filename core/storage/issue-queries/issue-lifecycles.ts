import type { IssueId } from '../../event/ids.js';
import { type IssueAction, numberIn } from '../../issues/issue-action.js';
import type { IssueGroups } from '../../issues/issue-groups.js';
import { countedIssues, foldLifecycle, type IssueReceipts, type Lifecycle, UNTOUCHED } from '../../issues/lifecycle.js';
import { isSpiking, MIN_SPIKE_EVENTS } from '../../issues/spiking.js';
import type { IssueActions } from '../actions/action-history.js';
import type { IndexContent } from '../index/content/index-content.js';
import type { IssueState } from '../index/content/issue-state.js';
import type { IssueTable } from '../index/content/issue-table.js';
import { hourOfMs, lastHours } from '../index/count-event.js';
import { MergedIssues } from './merged-issues.js';

/** How long an issue stays new, and the past that a record must have to call one new. */
const NEW_FOR_MICROS = 24 * 3_600_000_000;

type Receipts = Omit<IssueReceipts, 'eventsOf' | 'eventsBeyond'>;

/** Returns the states of an index's issues now. */
export type LifecyclesOf = (content: IndexContent) => IssueLifecycles;

/** Creates a function that folds the current actions and events; it caches merged groups. */
export function createLifecycles(actions: IssueActions, nowMs: () => number): LifecyclesOf {
  let combined: { readonly content: IndexContent; readonly groups: IssueGroups; readonly issues: number } | undefined;
  let merged = new MergedIssues([]);
  return (content) => {
    const { groups } = actions;
    // A member may arrive after its merge.
    const { length: issues } = content.issues.inOrder;
    if (groups !== combined?.groups || issues !== combined.issues || content !== combined.content) {
      combined = { content, groups, issues };
      const statesOf = (issueIds: readonly IssueId[]) => issueIds.flatMap((id) => content.issues.get(id) ?? []);
      merged = new MergedIssues(groups.shown.map((shown) => statesOf(groups.membersOf(shown) ?? [])));
    }
    merged.refresh();
    return new IssueLifecycles(content.issues, actions, merged, nowMs());
  };
}

/** States of the issues of an index at one instant; a merged group is found by any member. */
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

  /** The group of a merged issue, or the issue itself. */
  shownAs(issue: IssueState): IssueState {
    const { ordinal } = this.merged.membersOf(issue.ordinal)?.[0] ?? issue;
    return this.merged.shown.get(ordinal) ?? issue;
  }

  /** The surviving issue first. */
  membersOf(issue: IssueState): readonly IssueState[] {
    return this.merged.membersOf(issue.ordinal) ?? [issue];
  }

  /** Ordinals of the shown issues that have actions. */
  *actedOn(): Iterable<number> {
    for (const issueId of this.actions.issueIds()) {
      const member = this.idsOf({ issueId }).find((memberId) => this.issues.get(memberId) !== undefined);
      const issue = member && this.issues.get(member);
      if (issue !== undefined) yield this.shownAs(issue).ordinal;
    }
  }

  /** Actions of all members of a group, also of those without events here, oldest first. */
  actionsOf(issue: IssueState): readonly IssueAction[] {
    const [first = issue.issueId, ...others] = this.idsOf(issue);
    const actions = this.actions.of(first);
    if (others.length === 0) return actions;
    const all = new Map(actions.map((action) => [action.id, action]));
    for (const other of others) for (const action of this.actions.of(other)) all.set(action.id, action);
    return [...all.values()].sort((left, right) => left.atMicros - right.atMicros);
  }

  /** `shown` comes from `shownAs`. */
  lifecycleOf(shown: IssueState): Lifecycle {
    const actions = this.actionsOf(shown);
    if (actions.length === 0) return UNTOUCHED;
    const standing = actions.filter(({ id }) => !this.actions.isUndone(id));
    return this.fold(standing, shown);
  }

  /** Folds standing actions over the receipts of an issue, or others, without `later` events. */
  fold(standing: readonly IssueAction[], shown: IssueState, receipts: Receipts = shown, later = 0): Lifecycle {
    const { lastReceivedAtMicros, releases, releasesReceivedAtMicros, releasesFirstReceivedAtMicros } = receipts;
    const byRelease = { releases, releasesReceivedAtMicros, releasesFirstReceivedAtMicros };
    const eventsOf = (issueIds: readonly IssueId[], atMicros: number): number => this.eventsOf(issueIds, atMicros);
    const eventsBeyond = (resolve: IssueAction) => this.#eventsBeyond(resolve, shown, later);
    return foldLifecycle(standing, { lastReceivedAtMicros, ...byRelease, eventsOf, eventsBeyond }, this.nowMs);
  }

  /**
   * As in `IssueReceipts`. The group must have the members and the first event that it had for the resolution: a store that began later counts
   * fewer events. `later` events are left out.
   */
  #eventsBeyond(resolve: IssueAction, shown: IssueState, later: number): number | undefined {
    const seen = numberIn(resolve, 'seen');
    if (seen === undefined || numberIn(resolve, 'first_seen_ms') !== shown.firstSeenMs) return undefined;
    const counted = new Set(countedIssues(resolve));
    const members = this.idsOf(shown);
    const isSameGroup = members.length === counted.size && members.every((issueId) => counted.has(issueId));
    if (!isSameGroup || this.actions.areRegroupedSince(resolve.atMicros)) return undefined;
    return shown.count + shown.removed - later - seen;
  }

  /** Events ever counted for issues as of an instant, removed and unsampled ones included. */
  eventsOf(issueIds: readonly IssueId[], atMicros: number): number {
    return this.issuesNow(issueIds, atMicros).reduce((events, { count, removed }) => events + count + removed, 0);
  }

  /** The issues that now hold the events of others as of an instant. */
  issuesNow(issueIds: readonly IssueId[], atMicros: number): IssueState[] {
    const followed = new Set(issueIds.flatMap((issueId) => this.actions.follow(issueId, atMicros)));
    return [...followed].flatMap((issueId) => this.issues.get(issueId) ?? []);
  }

  isNew({ firstReceivedAtMicros }: IssueState, { status }: Lifecycle): boolean {
    return status === 'open' && this.isFresh(firstReceivedAtMicros);
  }

  /** Whether an open issue with this first receipt is new; the issues are in the order of their first receipts. */
  isFresh(firstReceivedAtMicros: number): boolean {
    const startsAtMicros = this.issues.inOrder[0]?.firstReceivedAtMicros ?? firstReceivedAtMicros;
    return (
      this.nowMs * 1000 - firstReceivedAtMicros < NEW_FOR_MICROS &&
      firstReceivedAtMicros - startsAtMicros > NEW_FOR_MICROS
    );
  }

  isSpiking(issue: IssueState): boolean {
    // Nearly all issues are quiet: decide them without a trend.
    if (issue.count < MIN_SPIKE_EVENTS) return false;
    const nowHour = hourOfMs(this.nowMs);
    if (hourOfMs(issue.lastSeenMs) < nowHour - 1) return false;
    return isSpiking(lastHours(issue.hours, nowHour), nowHour - hourOfMs(issue.firstSeenMs));
  }

  /** Ids of all members of a group, also of those without events here. */
  idsOf({ issueId }: Pick<IssueState, 'issueId'>): readonly IssueId[] {
    return this.actions.groups.membersOf(issueId) ?? [issueId];
  }
}
