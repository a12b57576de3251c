import type { Fault } from '../../../core/event/fault.js';
import { type StateChange, telling } from '../../state/terminal-state.js';
import { changingIssue } from './changing-issue.js';
import type { IssueScreen } from './issue-state.js';

/** Takes back a filter that the collector cannot read, and says why, while it is still asked for; undefined for other faults. */
export function refusedFilter(
  key: number,
  isAskedFor: (screen: IssueScreen) => boolean,
  fault: Fault,
): StateChange | undefined {
  if (fault.code !== 'QUERY_INVALID' && fault.code !== 'PARAMETER_INVALID') return undefined;
  return (state) => {
    let isTaken = false;
    const changed = changingIssue(key, (screen) => {
      isTaken = isAskedFor(screen);
      return isTaken ? { ...screen, query: '', range: undefined, held: undefined } : { ...screen };
    })(state);
    return isTaken ? telling(changed, fault.message, 'error') : changed;
  };
}
