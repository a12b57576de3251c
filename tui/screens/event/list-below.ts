import type { EventId } from '../../../core/event/ids.js';
import type { IssueSummary } from '../../../generated/reader-answers.js';
import type { EventScreen } from '../../state/event-state.js';
import type { IssueScreen } from '../../state/issue-state.js';
import { emptyList } from '../../state/paged-list.js';
import { withTerm } from '../../state/query-terms.js';
import { type EventsScreen, searchFor } from '../../state/status-state.js';
import { type Screen, type StateRead, type TerminalState, withNotice } from '../../state/terminal-state.js';
import { ISSUE_LOGIC } from '../issue/issue-logic.js';
import { EVENTS_LOGIC } from '../lists/events-logic.js';
import { openEventValues } from '../lists/value-menu.js';

export type EventListScreen = IssueScreen | EventsScreen;

/** The nearest list of events below the visible event; undefined if the event was opened by its id. */
export function listBelow(state: TerminalState): EventListScreen | undefined {
  return state.stack.findLast(
    (screen): screen is EventListScreen => screen.kind === 'issue' || screen.kind === 'events',
  );
}

/** The index of an event in a list; -1 if it is not loaded. */
export function rowOfEvent({ list }: EventListScreen, eventId: EventId): number {
  return list.rows.findIndex((row) => row.event_id === eventId);
}

/** Reads of the list below as if its last row were visible. */
export function readsOfMore(state: TerminalState, below: EventListScreen): readonly StateRead[] {
  const top = Math.max(0, below.list.rows.length - 1);
  if (below.kind === 'issue') return ISSUE_LOGIC.missing(state, { ...below, list: { ...below.list, top } });
  return EVENTS_LOGIC.missing(state, { ...below, list: { ...below.list, top } });
}

/** The issue of the visible event; undefined if no list contains it. */
export function issueBelow(state: TerminalState, { issueId }: EventScreen): IssueSummary | undefined {
  const below = listBelow(state);
  if (below?.kind === 'issue' && below.issue.issue_id === issueId) return below.issue;
  return state.stack[0].list.rows.find((issue) => issue.issue_id === issueId);
}

/** Opens the menu of the event's values, to filter the list of events below by one or to exclude it. */
export function chooseValue(state: TerminalState, { event }: EventScreen, isExcluded: boolean): TerminalState {
  if (event === undefined) return state;
  return { ...state, overlay: openEventValues(event.normalized, { isExcluded, accept: withTermBelow }) };
}

function withTermBelow(state: TerminalState, term: string): TerminalState {
  const below = listBelow(state);
  if (below === undefined)
    return withNotice(state, 'No list of events to filter: the event was opened by its id.', 'error');
  const [first, ...above] = state.stack;
  const kept = above.slice(0, above.indexOf(below));
  return { ...state, stack: [first, ...kept, filtered(below, withTerm(below.query, term))] };
}

function filtered(below: EventListScreen, query: string): Screen {
  if (below.kind === 'events') return searchFor(below, query);
  return {
    ...below,
    pane: 'events',
    query,
    list: emptyList(below.list.kind),
    reading: 'loading',
    shownQuery: undefined,
  };
}
