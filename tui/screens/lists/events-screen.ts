import { listLines } from '../../components/list-lines.js';
import { messageLines } from '../../components/message-lines.js';
import { searchColumns } from '../../format/event/event-columns.js';
import type { EventsScreen } from '../../state/events-state.js';
import { EVENT_ROWS } from '../../state/row-kinds.js';
import type { Drawing } from '../../state/screen-logic.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { countWithNoun, fullCount } from '../../text/counts.js';
import { type Line, span, spread, words } from '../../text/line.js';
import { literal, neutralise } from '../../text/visible.js';
import { eventsRows, isSearching } from './events-reads.js';
import { filterPromptOf } from './filter-prompt.js';
import { facts } from './issues-screen.js';
import { searchRows } from './search-prompt.js';

/** Events of all issues that match a query, newest first. */
export function drawEvents(state: TerminalState, screen: EventsScreen): Drawing {
  const { list } = screen;
  const { columns: cells } = state.size;
  const rows = eventsRows(state);
  const columns = searchColumns({ rows: list.rows, width: cells, nowMs: state.nowMs, zone: state.habits.time });
  const body =
    list.rows.length === 0
      ? messageLines([emptyText(state, screen)], cells, rows + 1)
      : listLines(list, EVENT_ROWS, columns, { cells, rows });
  return { path: 'Events', facts: facts(state.stats), lines: [...queryRows(state, screen), ...body] };
}

/** The query and the progress of the search; below them completions while it is typed. */
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
