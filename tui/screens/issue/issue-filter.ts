import { type FacetChoice, facetChoices, facetRows } from '../../format/event/facet-lines.js';
import { openQueryPrompt, queryProblem } from '../../overlays/query-prompt.js';
import type { IssueScreen } from '../../state/issue-state.js';
import { selectedRow } from '../../state/list-selection.js';
import { valueTerm, withTerm } from '../../state/query-terms.js';
import { EVENT_ROWS } from '../../state/row-kinds.js';
import { type TerminalState, topScreen, withNotice } from '../../state/terminal-state.js';
import { openValueMenu } from '../lists/event-value-menu.js';
import { withFilter } from './change-issue.js';
import { shownFacets } from './summary-reads.js';
import { RANGE_LENGTH } from './time-range.js';

/** Asks for a filter of the events, beginning with the one that is in force. */
export function openFilterPrompt(state: TerminalState, { query }: IssueScreen): TerminalState {
  const overlay = openQueryPrompt(state, {
    subject: 'events',
    label: '/',
    draft: query,
    reserved: RANGE_LENGTH,
    accept: (now, typed) => onIssue(now, (screen) => withFilter(now, screen, { query: typed })),
  });
  return { ...state, overlay };
}

/** Filters by what is under the cursor, or with `isLeftOut` by everything else: the facet's value, or one of the selected event's. */
export function filterByCursor(state: TerminalState, screen: IssueScreen, isLeftOut: boolean): TerminalState {
  const take = (now: TerminalState, term: string): TerminalState => onIssue(now, (top) => addTerm(now, top, term));
  if (screen.pane === 'facets') {
    const choice = choicesOf(screen)[screen.index];
    return choice === undefined ? state : take(state, choiceTerm(choice, isLeftOut));
  }
  const event = screen.pane === 'events' ? selectedRow(screen.list, EVENT_ROWS) : undefined;
  return event === undefined
    ? state
    : { ...state, overlay: openValueMenu(event, { isExcluded: isLeftOut, accept: take }) };
}

/** The facets' values that the cursor can stand on. */
export function choicesOf(screen: IssueScreen): readonly FacetChoice[] {
  const facets = shownFacets(screen)?.summary.facets;
  return facets === undefined ? [] : facetChoices(facetRows(facets));
}

function choiceTerm(choice: FacetChoice, isLeftOut: boolean): string {
  if (choice.kind === 'value') return valueTerm(choice.field, choice.value, isLeftOut);
  return `${isLeftOut ? '' : '-'}${choice.field}:*`;
}

function addTerm(state: TerminalState, screen: IssueScreen, term: string): TerminalState {
  const query = withTerm(screen.query, term);
  const problem = queryProblem(query, 'events');
  return problem === undefined ? withFilter(state, screen, { query }) : withNotice(state, problem.reason, 'error');
}

function onIssue(state: TerminalState, change: (screen: IssueScreen) => TerminalState): TerminalState {
  const screen = topScreen(state);
  return screen.kind === 'issue' ? change(screen) : state;
}
