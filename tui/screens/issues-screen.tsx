import type { ReactElement } from 'react';
import type { Stats } from '../../core/reader.js';
import { FilterLine } from '../components/filter-line.js';
import { KeyHints } from '../components/key-hints.js';
import { Message } from '../components/message.js';
import { Table } from '../components/table.js';
import { TitleBar } from '../components/title-bar.js';
import { countOf, fullCount } from '../format/counts.js';
import { issueColumns } from '../format/issue-columns.js';
import { type Span, span } from '../format/line.js';
import { ownWords, type Visible } from '../format/visible.js';
import { useView } from '../hooks/use-view.js';
import type { Connection } from '../state/connection.js';
import { bodyRows } from '../state/layout.js';
import { indexOfSelected } from '../state/list-selection.js';
import { issueRows } from '../state/row-kinds.js';
import type { IssuesScreen as Issues, TerminalState } from '../state/terminal-state.js';

export interface IssuesScreenProps {
  state: TerminalState;
  screen: Issues;
}

/** How to send a first event; two lines of a shell, so that they can be copied from a narrow window. */
const FIRST_EVENT = [
  'No failure has arrived yet. Send one, with the collector at its usual address:',
  '',
  "curl http://localhost:4318/v1/events -H 'content-type: application/json' \\",
  `  -d '{"app":"shop","service":"api","env":"dev","route":"/",`,
  `       "error_name":"TestError","message":"it works"}'`,
  '',
  'This screen shows it as soon as it is stored.',
];

/** The list of issues. */
export function IssuesScreen({ state, screen }: IssuesScreenProps): ReactElement {
  const { nowMs } = useView();
  const { connection, stats } = state;
  const rows = bodyRows(state);
  const kind = issueRows(screen.wanted.sort);
  return (
    <>
      <TitleBar place="Issues" facts={facts(screen, stats)} connection={connection} />
      <FilterLine screen={screen} />
      {screen.list.rows.length === 0 ? (
        <Message text={emptyText(screen, connection)} rows={rows + 1} />
      ) : (
        <Table list={screen.list} kind={kind} columns={issueColumns(nowMs)} rows={rows} />
      )}
      <KeyHints
        screen="issues"
        connection={connection}
        position={positionOf(indexOfSelected(screen.list, kind), screen.total)}
      />
    </>
  );
}

function facts(screen: Issues, stats: Stats | undefined): readonly Span[] {
  const issues = span(countOf(screen.total, 'issue'));
  if (stats === undefined) return screen.shown === undefined ? [] : [issues];
  return [issues, span(countOf(stats.events, 'event')), ...lostEvents(stats)];
}

/** What was received and not kept: nothing disappears silently. */
function lostEvents({ receivers }: Stats): readonly Span[] {
  const ledgers = Object.values(receivers);
  const fates = ['rejected', 'refused', 'filtered', 'sampled'] as const;
  return fates.flatMap((fate) => {
    const count = ledgers.reduce((sum, ledger) => sum + ledger[fate], 0);
    return count === 0 ? [] : [span(ownWords(`${fullCount(count)} ${fate}`), 'warning')];
  });
}

function emptyText(screen: Issues, connection: Connection): readonly string[] {
  if (connection.kind === 'lost') return ['Waiting for the collector.', '', connection.reason];
  if (screen.shown === undefined) return ['Loading…'];
  return screen.shown.query === '' ? FIRST_EVENT : ['No issue matches this filter. Esc clears it.'];
}

function positionOf(index: number, total: number): Visible {
  return ownWords(index < 0 ? '' : `${fullCount(index + 1)}/${fullCount(total)}`);
}
