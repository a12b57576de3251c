import type { EventSummary } from '../../../generated/reader-answers.js';
import { listLines, messageLines } from '../../components/list-lines.js';
import { searchColumns } from '../../format/event/event-columns.js';
import { queryProblem } from '../../overlays/query-prompt.js';
import { openEvent } from '../../state/event-state.js';
import { isMove, moveInList } from '../../state/moves.js';
import { positionInList, selectedRow, withSelectedVisible } from '../../state/paged-list.js';
import { withTerm } from '../../state/query-terms.js';
import type { Drawing, ScreenLogic } from '../../state/screen-logic.js';
import type { EventsScreen } from '../../state/status-state.js';
import { popScreen, pushScreen, type TerminalState, withNotice, withTop } from '../../state/terminal-state.js';
import type { Command } from '../../terminal/keymap.js';
import { countWithNoun, fullCount } from '../../text/counts.js';
import { type Line, span, spread, words } from '../../text/line.js';
import { literal, neutralise } from '../../text/visible.js';
import { openCopyMenu } from '../../triage/copy-menu.js';
import { openExportPrompt } from '../../triage/export-prompt.js';
import { eventsRows, isSearching, missingOfEvents } from './events-reads.js';
import { filterPromptOf } from './filter-prompt.js';
import { facts } from './issues-screen.js';
import { openSearchPrompt, searchRows, withSearch } from './search-prompt.js';
import { openEventValues } from './value-menu.js';

/** Events of all issues that match a query. */
export const EVENTS_LOGIC: ScreenLogic<EventsScreen> = {
  keyScope: () => ({ screen: 'events' }),
  run,
  missing: missingOfEvents,
  // A search is not polled.
  polled: () => [],
  fit: (state, screen) => withSelectedVisible(screen, eventsRows(state)),
  isOffered: (_state, { list }, command) => (command !== 'open' && command !== 'copy') || list.rows.length > 0,
  position: (_state, { list }) => positionInList(list),
  draw: drawEvents,
};

function run(state: TerminalState, screen: EventsScreen, command: Command): TerminalState {
  if (isMove(command)) {
    const list = moveInList(screen.list, command, eventsRows(state));
    const reading = screen.reading === 'stopped' && command === 'last' ? 'loaded' : screen.reading;
    return withTop(state, { ...screen, list, reading });
  }
  const event = selectedRow(screen.list);
  switch (command) {
    case 'open':
      return event === undefined ? state : pushScreen(state, (key) => openEvent(key, event));
    case 'back':
      return back(state, screen);
    case 'filter':
      return openSearchPrompt(state);
    case 'include':
    case 'exclude':
      return event === undefined ? state : chooseValue(state, screen.query, event, command === 'exclude');
    case 'copy':
      return event === undefined
        ? state
        : { ...state, overlay: openCopyMenu({ issueId: event.issue_id, eventId: event.event_id }) };
    case 'export':
      return openExportPrompt(state, { what: 'events', query: screen.query });
    default:
      return state;
  }
}

function back(state: TerminalState, screen: EventsScreen): TerminalState {
  if (screen.reading !== 'loaded' || !isSearching(state, screen)) return popScreen(state);
  return withTop(state, { ...screen, reading: 'stopped' });
}

function chooseValue(state: TerminalState, before: string, event: EventSummary, isExcluded: boolean): TerminalState {
  const accept = (now: TerminalState, term: string): TerminalState => {
    const query = withTerm(before, term);
    const problem = queryProblem(query, 'events');
    return problem === undefined ? withSearch(now, query) : withNotice(now, problem.reason, 'error');
  };
  return { ...state, overlay: openEventValues(event, { isExcluded, accept }) };
}

function drawEvents(state: TerminalState, screen: EventsScreen): Drawing {
  const { list } = screen;
  const { columns: cells } = state.size;
  const rows = eventsRows(state);
  const columns = searchColumns({ rows: list.rows, width: cells, nowMs: state.nowMs, zone: state.habits.time });
  const body =
    list.rows.length === 0
      ? messageLines([emptyText(state, screen)], cells, rows + 1)
      : listLines(list, columns, { cells, rows });
  return { path: 'Events', facts: facts(state.stats), lines: [...queryRows(state, screen), ...body] };
}

function queryRows(state: TerminalState, screen: EventsScreen): readonly Line[] {
  const { query } = screen;
  const prompt = filterPromptOf(state);
  const progress = [...progressLine(state, screen), words(' ')];
  if (prompt !== undefined) return searchRows(state, prompt, [words('  '), ...progress]);
  const text = query === '' ? [words(' / search', 'muted')] : [words(' / ', 'label'), span(neutralise(query))];
  return [spread(text, progress, state.size.columns)];
}

function progressLine(state: TerminalState, screen: EventsScreen): Line {
  const { list, reading, scanned } = screen;
  if (reading === 'loading') return [words('searching…', 'muted')];
  if (reading === 'failed' || scanned === undefined) return [];
  const { done, total, isComplete } = scanned;
  if (isComplete) return [span(countWithNoun(list.rows.length, 'event')), words(', all searched', 'muted')];
  const share = `${Math.min(99, Math.floor((100 * done.events) / Math.max(1, total.events)))}%`;
  if (reading === 'stopped') return [words(`stopped at ${share}: G searches on`, 'warning')];
  if (!isSearching(state, screen) && filterPromptOf(state) === undefined) {
    return [span(literal(`newest ${countWithNoun(list.rows.length, 'event')}, `)), words('more: ↓', 'warning')];
  }
  return [span(literal(`searched ${fullCount(done.events)} of ${fullCount(total.events)} · ${share}`), 'muted')];
}

function emptyText(state: TerminalState, screen: EventsScreen): string {
  if (screen.reading === 'failed') return 'The query is not valid: press / to change it.';
  if (isSearching(state, screen)) return 'Searching…';
  if (screen.scanned?.isComplete !== false) return 'No event matches.';
  const key = filterPromptOf(state) === undefined ? 'G' : 'Enter';
  return `Nothing in the newest ${fullCount(screen.scanned.done.events)} events. ${key} searches on.`;
}
