import type { ReactElement } from 'react';
import { Lines } from '../../components/lines.js';
import { Message } from '../../components/message.js';
import { Table } from '../../components/table.js';
import { TitleBar } from '../../components/title-bar.js';
import { searchColumns } from '../../format/event/event-columns.js';
import type { EventsScreen } from '../../state/events-state.js';
import { EVENT_ROWS } from '../../state/row-kinds.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { fullCount } from '../../text/counts.js';
import { type Line, span, spread, words } from '../../text/line.js';
import { neutralise } from '../../text/visible.js';
import { canContinue, eventsRows, isSearching } from './events-reads.js';

/** Events of all issues that match a query, newest first. */
export function EventsScreenView({ state, screen }: { state: TerminalState; screen: EventsScreen }): ReactElement {
  const rows = eventsRows(state);
  const { list } = screen;
  return (
    <>
      <TitleBar path="Issues › Events" state={state} />
      <Lines lines={[queryLine(state, screen)]} />
      {list.rows.length === 0 ? (
        <Message text={[emptyText(state, screen)]} rows={rows + 1} />
      ) : (
        <Table list={list} kind={EVENT_ROWS} columns={columnsOf(state, screen)} rows={rows} />
      )}
    </>
  );
}

function columnsOf({ size, nowMs, habits }: TerminalState, { list }: EventsScreen) {
  return searchColumns({ rows: list.rows, width: size.columns, nowMs, zone: habits.time });
}

/** The query and the progress of the search. */
function queryLine(state: TerminalState, screen: EventsScreen): Line {
  const { query, scanned } = screen;
  const text = query === '' ? [words('all', 'muted')] : [span(neutralise(query))];
  const isOn = isSearching(state, screen);
  const extent: Line =
    scanned === undefined
      ? []
      : scanned.isComplete
        ? [words('  all searched', 'muted')]
        : [
            words('  searched ', 'muted'),
            span(fullCount(scanned.done.events)),
            words(' of ', 'muted'),
            span(fullCount(scanned.total.events)),
          ];
  const more = isOn
    ? [words(', searching…', 'muted')]
    : canContinue(state, screen)
      ? [words(', more: ↓', 'warning')]
      : [];
  return spread([words(' Events: ', 'label'), ...text], [...extent, ...more, words(' ')], state.size.columns);
}

function emptyText(state: TerminalState, screen: EventsScreen): string {
  if (screen.reading === 'failed') return 'The query is not valid: press / to change it.';
  if (isSearching(state, screen)) return 'Searching…';
  if (!canContinue(state, screen)) return 'No event matches.';
  return `Nothing in the newest ${fullCount(screen.scanned?.done.events ?? 0)} events. G searches on.`;
}
