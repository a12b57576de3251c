import { completeQuery } from '../../../core/query/complete-query.js';
import { MAX_QUERY_LENGTH } from '../../../core/query/parse-query.js';
import { differingFacets, type FacetChoice, facetChoices, facetRows } from '../../format/event/facet-lines.js';
import { openPrompt } from '../../overlays/prompt.js';
import { knownValues, queryProblem, tooLong, withQuery } from '../../overlays/query-prompt.js';
import type { IssueScreen } from '../../state/issue-state.js';
import type { PromptSpec } from '../../state/overlay.js';
import { selectedRow } from '../../state/paged-list.js';
import { valueTerm, withTerm } from '../../state/query-terms.js';
import { type TerminalState, topScreen, withNotice } from '../../state/terminal-state.js';
import { openEventValues } from '../lists/value-menu.js';
import { withFilter } from './change-issue.js';
import { shownFacets } from './summary-reads.js';
import { RANGE_LENGTH } from './time-range.js';

export function openFilterPrompt(state: TerminalState, { query }: IssueScreen): TerminalState {
  const spec: PromptSpec<TerminalState> = {
    label: '/',
    history: state.memory.queries,
    complete: (now, text, cursor) => completeQuery(text, cursor, 'events', knownValues(now)),
    check: (text) => tooLong(text, MAX_QUERY_LENGTH - RANGE_LENGTH) ?? queryProblem(text, 'events'),
    hint: (_now, text) =>
      text === '' ? 'level:error env:prod* count:>100 -release:v1.4.2 "a phrase"   Tab completes' : '',
    accept: (before, typed) => {
      const now = { ...before, memory: withQuery(before.memory, typed) };
      return onIssue(now, (screen) => withFilter(now, screen, { query: typed }));
    },
  };
  return { ...state, overlay: openPrompt(spec, query) };
}

/** Filters by the facet value under the cursor or a value of the selected event, or excludes it. */
export function filterByCursor(state: TerminalState, screen: IssueScreen, isExcluded: boolean): TerminalState {
  const accept = (now: TerminalState, term: string): TerminalState => onIssue(now, (top) => addTerm(now, top, term));
  if (screen.pane === 'facets') {
    const choice = choicesOf(screen)[screen.index];
    return choice === undefined ? state : accept(state, choiceTerm(choice, isExcluded));
  }
  const event = screen.pane === 'events' ? selectedRow(screen.list) : undefined;
  return event === undefined ? state : { ...state, overlay: openEventValues(event, { isExcluded, accept }) };
}

/** The facet values that can be selected. */
export function choicesOf(screen: IssueScreen): readonly FacetChoice[] {
  const summary = shownFacets(screen)?.summary;
  return summary === undefined ? [] : facetChoices(facetRows(differingFacets(summary)));
}

function choiceTerm(choice: FacetChoice, isExcluded: boolean): string {
  if (choice.kind === 'value') return valueTerm(choice.field, choice.value, isExcluded);
  return `${isExcluded ? '' : '-'}${choice.field}:*`;
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
