import type { FollowStep } from '../../issues/issue-groups.js';
import type { GroupingLine } from './grouping-log-line.js';

/**
 * Moves of events between issues, from the log of groupings, in order of time. A rolled back `apply` is left out, so that earlier actions
 * apply as before; its `roll_back` moves the events received in between.
 */
export function followSteps(lines: readonly GroupingLine[]): FollowStep[] {
  const applied: GroupingLine[] = [];
  const steps = new Map<GroupingLine, FollowStep>();
  for (const line of lines) {
    const { action, atMicros: beforeMicros, follows } = line;
    if (action === 'apply') {
      applied.push(line);
      steps.set(line, { fromMicros: 0, beforeMicros, follows });
    } else if (action === 'roll_back') {
      const undone = applied.pop();
      if (undone === undefined) continue;
      steps.delete(undone);
      steps.set(line, { fromMicros: undone.atMicros, beforeMicros, follows });
    }
  }
  return [...steps.values()];
}
