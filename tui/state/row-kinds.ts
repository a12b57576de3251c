import type { EventSummary, IssueSort, IssueSummary } from '../../core/reader.js';
import type { RowKind } from './paged-list.js';

/** Issues in a list with an order: one keeps its place while the value that orders it stays the same. */
export function issueRows(sort: IssueSort): RowKind<IssueSummary> {
  return {
    idOf: (issue) => issue.issue_id,
    isUnmoved: (before, after) => before[sort] === after[sort],
    isSame: (before, after) =>
      before.count === after.count &&
      before.last_seen === after.last_seen &&
      before.first_seen === after.first_seen &&
      before.status === after.status &&
      before.regressed === after.regressed &&
      before.level === after.level &&
      before.environments.length === after.environments.length &&
      before.releases.length === after.releases.length,
  };
}

/** Events never change. */
export const EVENT_ROWS: RowKind<EventSummary> = {
  idOf: (event) => event.event_id,
  isUnmoved: () => true,
  isSame: () => true,
};
