import type { ReactElement } from 'react';
import { Lines } from '../../components/lines.js';
import { fullCount } from '../../format/counts.js';
import { type Line, span, spread, words } from '../../format/line.js';
import { tabsLine } from '../../format/tabs-line.js';
import { neutralise } from '../../format/visible.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { ISSUE_TABS } from './issue-tabs.js';
import { type IssuesScreen, isSameSource } from './issues-state.js';
import { SORT_WORDS } from './sort-menu.js';

/** Two rows: the tabs with how many issues each holds, and which of them are listed in what order. */
export function ListHeader({ state, screen }: { state: TerminalState; screen: IssuesScreen }): ReactElement {
  const { columns } = state.size;
  return <Lines lines={[tabsOf(screen, columns), spread(filterLine(screen), orderLine(state, screen), columns)]} />;
}

function tabsOf({ wanted, counts }: IssuesScreen, columns: number): Line {
  return tabsLine(
    ISSUE_TABS.map((name) => ({ name, count: counts?.[name] })),
    wanted.tab,
    columns,
  );
}

function filterLine({ wanted, marked }: IssuesScreen): Line {
  const marks =
    marked.size === 0 ? [] : [words(' '), span(fullCount(marked.size), 'marked'), words(' marked  ', 'marked')];
  if (wanted.query === '') return [...marks, words(' All of them; / filters', 'muted')];
  return [...marks, words(' Filter: ', 'label'), span(neutralise(wanted.query))];
}

function orderLine(state: TerminalState, { wanted, shown, list, paused }: IssuesScreen): Line {
  const waiting = paused === undefined ? 0 : Math.max(0, (state.stats?.events ?? 0) - paused.atEvents);
  const pause =
    paused === undefined ? [] : [words('paused, '), span(fullCount(waiting)), words(' events wait: p   ', 'warning')];
  const behind = paused === undefined && list.isBehind ? [words('newer issues above: g   ', 'warning')] : [];
  const loading = shown === undefined || isSameSource(wanted, shown) ? [] : [words('loading…   ', 'muted')];
  const group = wanted.isGrouped ? 'by service, ' : '';
  return [...loading, ...pause, ...behind, words(`${group}by ${SORT_WORDS[wanted.sort].words} `, 'muted')];
}
