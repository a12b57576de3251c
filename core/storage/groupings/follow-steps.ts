import type { FollowStep } from '../../issues/issue-groups.js';
import type { GroupingLine } from './grouping-log-line.js';

/**
 * Where events went by the lines of the log of groupings, in order of time. An `apply` that was rolled back is no step, so that what was done before it counts
 * as it did then; its way back is one for what was done in between.
 */
export function followSteps(lines: readonly GroupingLine[]): FollowStep[] {
  const standing: GroupingLine[] = [];
  const steps = new Map<GroupingLine, FollowStep>();
  for (const line of lines) {
    const { action, atMicros: beforeMicros, follows } = line;
    if (action === 'apply') {
      standing.push(line);
      steps.set(line, { fromMicros: 0, beforeMicros, follows });
    } else if (action === 'roll_back') {
      const undone = standing.pop();
      if (undone === undefined) continue;
      steps.delete(undone);
      steps.set(line, { fromMicros: undone.atMicros, beforeMicros, follows });
    }
  }
  return [...steps.values()];
}
