import { uncountHours } from '../count-event.js';
import { type IssueState, type StringPool, storedEventsOf, usersOf } from './issue-state.js';
import type { IssueRemoval, LostRows } from './removal.js';

/** Subtracts removed events from an issue. */
export function uncountEvents(issue: IssueState, { events, sampled, hours }: LostRows): void {
  const stored = Math.max(0, storedEventsOf(issue) - (events - sampled));
  issue.count = Math.max(0, issue.count - events);
  issue.sampled = issue.count - stored;
  issue.removed += events;
  issue.removedSampled += sampled;
  issue.hours = issue.count === 0 ? [] : uncountHours(issue.hours, hours);
}

/** Restores an issue from a recorded removal, except what is counted. */
export function restoreIssue(issue: IssueState, removal: IssueRemoval, pool: StringPool): void {
  issue.removed = removal.removed;
  issue.removedSampled = removal.removedSampled;
  issue.level = pool.share(removal.level);
  issue.type = pool.share(removal.type);
  issue.firstSeenMs = removal.firstSeenMs;
  issue.firstSeenNanos = removal.firstSeenNanos;
  issue.lastSeenMs = removal.lastSeenMs;
  issue.lastSeenNanos = removal.lastSeenNanos;
  issue.lastReceivedAtMicros = removal.lastReceivedAtMicros;
  issue.environments = removal.environments.map((name) => pool.share(name));
  issue.releases = removal.releases.map((name) => pool.share(name));
  issue.releasesReceivedAtMicros = [...removal.releasesReceivedAtMicros];
  issue.users = removal.users;
}

/** Records an issue as it is before it loses events. */
export function describeRemoval(issue: IssueState, lost: LostRows): IssueRemoval {
  const { title, culprit, message } = issue;
  return {
    ...issue,
    // Getters are not spread.
    ...{ title, culprit, message },
    removed: issue.removed + lost.events,
    removedSampled: issue.removedSampled + lost.sampled,
    releasesReceivedAtMicros: [...issue.releasesReceivedAtMicros],
    users: usersOf(issue),
    hours: lost.hours,
  };
}
