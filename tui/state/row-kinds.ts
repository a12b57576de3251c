import type { EventSummary, IssueSummary } from '../../generated/reader-answers.js';
import type { RowKind } from './paged-list.js';

/** Issues; a change that the list shows makes a row another one. */
export const ISSUE_ROWS: RowKind<IssueSummary> = { idOf: (issue) => issue.issue_id, isSame: looksSame };

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
    before.snooze_left === after.snooze_left &&
    before.resolved_in === after.resolved_in &&
    before.state_at === after.state_at &&
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
  isSame: () => true,
};
