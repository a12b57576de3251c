import type { IssueId } from '../event/ids.js';
import type { FollowIssue } from './issue-groups.js';

/** Where events went when they were regrouped, or when that was rolled back, for the actions of a time. */
export interface FollowStep {
  /** Actions from this instant on: 0, or of a way back the instant of the regrouping that it takes back. */
  readonly fromMicros: number;
  /** Actions before this instant, that of the regrouping. */
  readonly beforeMicros: number;
  /** Which issues now hold the events that an issue held; one that is not named holds its own. */
  readonly follows: ReadonlyMap<IssueId, readonly IssueId[]>;
}

/**
 * Actions follow their events: tells for an issue that was acted on at an instant which issues the action counts for now.
 * Steps are in order of time; a regrouping that was rolled back is no step any more, only its way back is one, for actions that were taken in between.
 */
export function followActions(steps: readonly FollowStep[]): FollowIssue {
  return (issueId, atMicros) => {
    let issues: readonly IssueId[] = [issueId];
    for (const { fromMicros, beforeMicros, follows } of steps) {
      if (atMicros < fromMicros || atMicros >= beforeMicros) continue;
      issues = [...new Set(issues.flatMap((one) => follows.get(one) ?? one))];
    }
    return issues;
  };
}
