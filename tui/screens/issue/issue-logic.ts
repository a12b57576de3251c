import type { IssueSummary } from '../../../generated/reader-answers.js';
import { listedEvents } from '../../format/issue/listed-events.js';
import { openEvent } from '../../state/event-state.js';
import { ISSUE_PANES, type IssueScreen, openIssue } from '../../state/issue-state.js';
import { isMove, tabOf } from '../../state/moves.js';
import { positionInList, selectedRow } from '../../state/paged-list.js';
import { joinQueries } from '../../state/query-terms.js';
import type { ScreenLogic } from '../../state/screen-logic.js';
import { popScreen, pushScreen, type TerminalState, withNotice, withTop } from '../../state/terminal-state.js';
import type { Command } from '../../terminal/keymap.js';
import { fullCount } from '../../text/counts.js';
import { literal, type Visible } from '../../text/visible.js';
import { openEntryUndo } from '../../triage/apply-actions.js';
import { type CopySubject, openCopyMenu } from '../../triage/copy-menu.js';
import { openExportPrompt } from '../../triage/export-prompt.js';
import { isTriage, offersTriage, runTriage } from '../../triage/run-triage.js';
import { togglePreview } from '../lists/preview-reads.js';
import { fitIssue, nextIssue, withFilter, withIssue } from './change-issue.js';
import { entriesOf } from './history-lines.js';
import { choicesOf, filterByCursor, openFilterPrompt } from './issue-filter.js';
import { issueLayout } from './issue-layout.js';
import { missingOfIssue, polledOfIssue } from './issue-reads.js';
import { drawIssue } from './issue-screen.js';
import { lastIndex, moveInPane } from './pane-body.js';
import { relatedIssues } from './related-lines.js';
import { changeWindow, effectiveQuery, RANGE_CHANGES, type RangeChange } from './time-range.js';

/** One issue and its panes. */
export const ISSUE_LOGIC: ScreenLogic<IssueScreen> = {
  keyScope: ({ pane }) => ({ screen: 'issue', pane }),
  run,
  missing: missingOfIssue,
  polled: polledOfIssue,
  fit: (state, screen) => fitIssue(state, screen),
  isOffered,
  position,
  draw: drawIssue,
};

function run(state: TerminalState, screen: IssueScreen, command: Command): TerminalState {
  if (isMove(command)) return withTop(state, moveInPane(state, screen, command));
  if (command === 'undo' && screen.pane === 'history' && screen.detail !== undefined) {
    return openEntryUndo(state, entriesOf(state, screen.detail)[Math.min(screen.index, lastIndex(state, screen))]);
  }
  if (command === 'merge') {
    const marked = relatedIssues(screen).filter(({ issue_id }) => screen.marked.has(issue_id));
    return runTriage(
      state,
      [...new Map([screen.issue, ...marked].map((one) => [one.issue_id, one])).values()],
      command,
    );
  }
  if (isTriage(command)) return runTriage(state, [screen.issue], command);
  const pane = tabOf(ISSUE_PANES, screen.pane, command);
  if (pane !== undefined) return pane === screen.pane ? state : withIssue(state, { ...screen, pane, index: 0 });
  const change = RANGE_CHANGES.find((one) => command === `range_${one}`);
  if (change !== undefined) return moveRange(state, screen, change);
  switch (command) {
    case 'open':
      return open(state, screen);
    case 'mark':
      return toggleMark(state, screen);
    case 'preview': {
      const toggled = togglePreview(state, screen.list, (now) => issueLayout(now, screen).previewRows > 0);
      return withIssue(toggled, screen);
    }
    case 'back':
      return back(state, screen);
    case 'filter':
      return openFilterPrompt(state, screen);
    case 'include':
    case 'exclude':
      return filterByCursor(state, screen, command === 'exclude');
    case 'next':
    case 'previous':
      return nextIssue(state, screen, command === 'next' ? 1 : -1);
    case 'copy':
      return { ...state, overlay: openCopyMenu(copySubject(screen)) };
    case 'export':
      return openExportPrompt(state, {
        what: 'events',
        query: joinQueries(`issue_id:${screen.issue.issue_id}`, effectiveQuery(screen), 'events'),
      });
    default:
      return state;
  }
}

function open(state: TerminalState, screen: IssueScreen): TerminalState {
  if (screen.pane === 'facets') return filterByCursor(state, screen, false);
  if (screen.pane === 'related') {
    const issue = selectedRelated(state, screen);
    return issue === undefined ? state : pushScreen(state, (key) => openIssue(key, issue));
  }
  const event = screen.pane === 'events' ? selectedRow(screen.list) : undefined;
  if (event === undefined) return state;
  return pushScreen(state, (key) => openEvent(key, event));
}

function selectedRelated(state: TerminalState, screen: IssueScreen): IssueSummary | undefined {
  return relatedIssues(screen)[Math.min(screen.index, lastIndex(state, screen))];
}

function toggleMark(state: TerminalState, screen: IssueScreen): TerminalState {
  const id = selectedRelated(state, screen)?.issue_id;
  if (id === undefined) return state;
  const marked = new Set(screen.marked);
  if (!marked.delete(id)) marked.add(id);
  return withTop(state, moveInPane(state, { ...screen, marked }, 'down'));
}

function isOffered(_state: TerminalState, screen: IssueScreen, command: Command): boolean {
  if (screen.reading === 'gone') return !isTriage(command) && command !== 'open' && command !== 'filter';
  if (command === 'undo') return screen.pane === 'history';
  if (isTriage(command)) return offersTriage([screen.issue], command);
  return (command !== 'open' && command !== 'mark') || canOpen(screen);
}

function canOpen(screen: IssueScreen): boolean {
  switch (screen.pane) {
    case 'events':
      return screen.list.rows.length > 0;
    case 'facets':
      return choicesOf(screen).length > 0;
    case 'related':
      return relatedIssues(screen).length > 0;
    case 'why':
    case 'history':
      return false;
  }
}

function copySubject({ pane, issue, list }: IssueScreen): CopySubject {
  const event = pane === 'events' ? selectedRow(list) : undefined;
  return { issueId: issue.issue_id, ...(event !== undefined && { eventId: event.event_id }) };
}

function back(state: TerminalState, screen: IssueScreen): TerminalState {
  if (screen.range !== undefined) return withFilter(state, screen, { range: undefined, span: '24h' });
  return screen.query === '' ? popScreen(state) : withFilter(state, screen, { query: '' });
}

function moveRange(state: TerminalState, screen: IssueScreen, change: RangeChange): TerminalState {
  const window = changeWindow(screen, change, state.nowMs);
  return window === undefined ? withNotice(state, NO_WINDOW[change]) : withFilter(state, screen, window);
}

const NO_WINDOW: Readonly<Record<RangeChange, string>> = {
  earlier: 'No earlier events.',
  later: 'No later events.',
  narrower: 'This is the shortest time window.',
  wider: 'All events are shown.',
  all: 'All events are shown.',
};

function position(state: TerminalState, screen: IssueScreen): Visible {
  const { pane, list, issue, query, range } = screen;
  if (pane === 'events') {
    // The number of matches is known once all of them are loaded.
    const isFiltered = query !== '' || range !== undefined;
    return positionInList(list, isFiltered ? undefined : listedEvents(issue));
  }
  const last = lastIndex(state, screen);
  if (pane !== 'why') {
    const entries = pane === 'history' ? entriesOf(state, screen.detail) : relatedIssues(screen);
    const count = pane === 'facets' ? choicesOf(screen).length : entries.length;
    return literal(count === 0 ? '' : `${fullCount(Math.min(screen.index, last) + 1)}/${fullCount(count)}`);
  }
  if (last === 0) return literal('');
  return literal(screen.index >= last ? 'end' : `${Math.floor((100 * screen.index) / last)}%`);
}
