import type { IssueSort } from '../../core/contract/reader.js';
import type { EventSummary, IssueSummary } from '../../generated/reader-answers.js';
import { eventsOfDay } from '../readers/merged/merged-issue-order.js';
import type { RowKind } from './paged-list.js';

const SORT_VALUES: Readonly<Record<IssueSort, (issue: IssueSummary) => string | number>> = {
  last_seen: (issue) => issue.last_seen,
  first_seen: (issue) => issue.first_seen,
  count: (issue) => issue.count,
  users: (issue) => issue.users,
  trend: eventsOfDay,
  level: (issue) => issue.level,
  status: (issue) => `${issue.status} ${issue.regressed} ${issue.is_new}`,
};

/** Issues in a sort order; an issue stays in place while its sort value does. */
export function issueRows(sort: IssueSort): RowKind<IssueSummary> {
  const sortValue = SORT_VALUES[sort];
  return {
    idOf: (issue) => issue.issue_id,
    isUnmoved: (before, after) => sortValue(before) === sortValue(after),
    isSame: looksSame,
  };
}

function looksSame(before: IssueSummary, after: IssueSummary): boolean {
  return (
    before.count === after.count &&
    before.removed_events === after.removed_events &&
    before.users === after.users &&
    before.last_seen === after.last_seen &&
    before.first_seen === after.first_seen &&
    before.status === after.status &&
    before.regressed === after.regressed &&
    before.is_new === after.is_new &&
    before.spiking === after.spiking &&
    before.assignee === after.assignee &&
    before.snooze === after.snooze &&
    before.resolved_in === after.resolved_in &&
    before.level === after.level &&
    before.merged.length === after.merged.length &&
    before.environments.length === after.environments.length &&
    before.releases.length === after.releases.length &&
    before.trend.every((count, hour) => count === after.trend[hour])
  );
}

/** Events never change. */
export const EVENT_ROWS: RowKind<EventSummary> = {
  idOf: (event) => event.event_id,
  isUnmoved: () => true,
  isSame: () => true,
};
