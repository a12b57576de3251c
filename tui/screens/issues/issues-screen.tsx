import type { ReactElement } from 'react';
import type { Stats } from '../../../core/reader.js';
import { Message } from '../../components/message.js';
import { Table } from '../../components/table.js';
import { TitleBar } from '../../components/title-bar.js';
import { countOf, fullCount } from '../../format/counts.js';
import { ISSUE_SIGNS, issueColumns } from '../../format/issue-columns.js';
import { type Span, span } from '../../format/line.js';
import { ownWords } from '../../format/visible.js';
import { useView } from '../../hooks/use-view.js';
import { issueRows } from '../../state/row-kinds.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { emptyText } from './empty-text.js';
import { issuesRows } from './issues-layout.js';
import type { IssuesScreen as Issues } from './issues-state.js';
import { ListHeader } from './list-header.js';

export interface IssuesScreenProps {
  state: TerminalState;
  screen: Issues;
}

/** The list of issues. */
export function IssuesScreen({ state, screen }: IssuesScreenProps): ReactElement {
  const { nowMs, habits } = useView();
  const { stats } = state;
  const rows = issuesRows(state);
  const kind = issueRows(screen.wanted.sort);
  return (
    <>
      <TitleBar place="Issues" facts={facts(screen, stats)} state={state} />
      <ListHeader state={state} screen={screen} />
      {screen.list.rows.length === 0 ? (
        <Message text={emptyText(state, screen)} rows={rows + 1} />
      ) : (
        <Table
          list={screen.list}
          kind={kind}
          columns={issueColumns(nowMs, { ...screen.wanted, isForScreenReader: habits.isForScreenReader })}
          rows={rows}
          marked={screen.marked}
        />
      )}
    </>
  );
}

function facts(screen: Issues, stats: Stats | undefined): readonly Span[] {
  const issues = span(countOf(screen.total, 'issue'));
  if (stats === undefined) return screen.shown === undefined ? [] : [issues];
  return [issues, span(countOf(stats.events, 'event')), ...spikingIssues(screen), ...lostEvents(stats)];
}

/** Where to look first. */
function spikingIssues({ counts }: Issues): readonly Span[] {
  const count = counts?.spiking ?? 0;
  return count === 0 ? [] : [span(ownWords(`${fullCount(count)} spiking ${ISSUE_SIGNS.spiking}`), 'warning')];
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
