import { toEventId, toIssueId } from '../../core/event/ids.js';
import type { RememberedPlace } from '../preferences/session-memory.js';
import { openEvent } from '../screens/event/event-state.js';
import { openIssue } from '../screens/issue/issue-state.js';
import { sourceOf } from '../screens/issues/views-menu.js';
import {
  pushed,
  type StateChange,
  type StateEffect,
  type TerminalState,
  topScreen,
  withTop,
} from '../state/terminal-state.js';

/** What leads back to a remembered place: the list at once, what was open above it once it is read. Nothing where the place is of another version. */
export function resumedAt(place: RememberedPlace | undefined): StateChange {
  const wanted = place && sourceOf(place);
  if (place === undefined || wanted === undefined) return (state) => state;
  return (state) => {
    const screen = topScreen(state);
    if (screen.kind !== 'issues') return state;
    const list = { ...screen.list, selectedId: place.selectedIssueId, isTouched: place.selectedIssueId !== undefined };
    const listed = withTop(state, { ...screen, wanted, list });
    const effect = reopening(place);
    return effect === undefined ? listed : { ...listed, asked: [...listed.asked, effect] };
  };
}

/** Opens the issue, and the event, that were open; both may be gone. */
function reopening({ openIssueId, openEventId }: RememberedPlace): StateEffect | undefined {
  const issueId = openIssueId === undefined ? undefined : toIssueId(openIssueId);
  if (issueId === undefined) return undefined;
  const eventId = openEventId === undefined ? undefined : toEventId(openEventId);
  return {
    perform: async ({ reader }) => {
      const issue = await reader.getIssue(issueId);
      return (now) => {
        // Whoever typed meanwhile has gone elsewhere.
        if (issue === undefined || now.stack.length > 1 || now.overlay !== undefined) return now;
        const opened: TerminalState = pushed(now, (key) => openIssue(key, issue));
        return eventId === undefined ? opened : pushed(opened, (key) => openEvent(key, { eventId, issueId }));
      };
    },
  };
}
