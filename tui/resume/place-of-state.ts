import type { RememberedPlace } from '../preferences/session-memory.js';
import type { TerminalState } from '../state/terminal-state.js';

/** Where a person is: the list with its selection, and what is open above it. */
export function placeOfState({ stack }: TerminalState): RememberedPlace {
  const [{ wanted, list }] = stack;
  const issue = stack.findLast(({ kind }) => kind === 'issue');
  const event = stack.at(-1);
  return {
    ...wanted,
    ...(list.selectedId !== undefined && { selectedIssueId: list.selectedId }),
    ...(issue?.kind === 'issue' && { openIssueId: issue.issue.issue_id }),
    ...(event?.kind === 'event' && { openEventId: event.eventId }),
  };
}
