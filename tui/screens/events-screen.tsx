import type { ReactElement } from 'react';
import type { IssueSummary } from '../../core/reader.js';
import { KeyHints } from '../components/key-hints.js';
import { Lines } from '../components/lines.js';
import { Message } from '../components/message.js';
import { Table } from '../components/table.js';
import { TitleBar } from '../components/title-bar.js';
import { countOf, fullCount } from '../format/counts.js';
import { EVENT_COLUMNS } from '../format/event-columns.js';
import { type Line, levelMeaning, span, words } from '../format/line.js';
import { ago, clockTime } from '../format/relative-time.js';
import { neutralise, ownWords } from '../format/visible.js';
import { useView } from '../hooks/use-view.js';
import { bodyRows } from '../state/layout.js';
import { indexOfSelected } from '../state/list-selection.js';
import { EVENT_ROWS } from '../state/row-kinds.js';
import type { EventsScreen as Events, TerminalState } from '../state/terminal-state.js';

export interface EventsScreenProps {
  state: TerminalState;
  screen: Events;
}

const MESSAGES = {
  loading: 'Loading…',
  loaded: 'This issue has no events any more.',
  gone: 'The store does not have this issue any more: its events were older than the retention.',
} as const;

/** The events of one issue, newest first, below what is known of the issue. */
export function EventsScreen({ state, screen }: EventsScreenProps): ReactElement {
  const { nowMs } = useView();
  const { connection } = state;
  const { issue, list, reading } = screen;
  const rows = bodyRows(state);
  const selected = indexOfSelected(list, EVENT_ROWS);
  return (
    <>
      <TitleBar
        place="Issues › Events"
        facts={list.isBehind ? [words('newer events above: g', 'warning')] : []}
        connection={connection}
      />
      <Lines lines={issueLines(issue, nowMs)} />
      {list.rows.length === 0 || reading === 'gone' ? (
        <Message text={[emptyText(issue, reading)]} rows={rows + 1} />
      ) : (
        <Table list={list} kind={EVENT_ROWS} columns={EVENT_COLUMNS} rows={rows} />
      )}
      <KeyHints
        screen="events"
        connection={connection}
        position={ownWords(selected < 0 ? '' : `${fullCount(selected + 1)}/${fullCount(issue.count)}`)}
      />
    </>
  );
}

function emptyText({ count, removed_events: removed }: IssueSummary, reading: keyof typeof MESSAGES): string {
  const isRemoved = reading === 'loaded' && count === 0 && removed > 0;
  return isRemoved ? `Retention removed the events of this issue: ${countOf(removed, 'event')}.` : MESSAGES[reading];
}

/** Title, numbers and whereabouts of an issue, a row each. */
function issueLines(issue: IssueSummary, nowMs: number): readonly Line[] {
  const { title, level, count, removed_events: removed } = issue;
  const { first_seen, last_seen, app, service, environments, releases, culprit } = issue;
  const dot = words(' · ', 'muted');
  const gone = removed === 0 ? [] : [dot, span(fullCount(removed)), words(' removed', 'muted')];
  const where = [`${app}/${service}`, environments.join(', '), releases.join(', '), culprit ?? ''];
  return [
    [words(' '), span(neutralise(title), levelMeaning(level))],
    [
      words(' '),
      span(countOf(count, 'event')),
      ...gone,
      dot,
      words('first seen ', 'muted'),
      span(clockTime(first_seen, 'full')),
      dot,
      words('last seen ', 'muted'),
      span(ago(last_seen, nowMs)),
    ],
    [
      words(' '),
      ...where
        .filter((part) => part !== '')
        .flatMap((part, place) => [...(place === 0 ? [] : [dot]), span(neutralise(part))]),
    ],
  ];
}
