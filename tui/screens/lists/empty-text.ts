import type { Stats } from '../../../generated/reader-answers.js';
import { ISSUE_TABS, type IssueTab, listedTab, tabLabel } from '../../state/issue-tabs.js';
import type { IssueSource, IssuesScreen } from '../../state/issues-state.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { countWithNoun } from '../../text/counts.js';
import { nothingSince } from './since-lines.js';

const DEFAULT_EVENTS_URL = 'http://localhost:4318/v1/events';
const RETRY = 'Retrying every 30 seconds; the token file is read again, an environment variable is not.';

/** The text of an empty list: why it is empty, and what would fill it. */
export function emptyText({ connection, stats }: TerminalState, screen: IssuesScreen): readonly string[] {
  const { shown } = screen;
  if (connection.kind === 'lost') {
    return connection.isUnauthorized
      ? ['No access.', '', connection.reason, '', RETRY]
      : ['Not connected.', '', connection.reason];
  }
  if (shown === undefined) return ['Loading…'];
  if (shown.since !== undefined) return [nothingSince(shown.since)];
  if (shown.query !== '') return noMatch(screen, shown);
  const counts = screen.countedQuery === '' ? screen.counts : undefined;
  if (shown.tab === 'all' || counts?.all === 0) return firstEvent(stats);
  // Without counts, the store may be empty.
  if (counts === undefined) return ['Loading…'];
  if (shown.tab === 'mine' && screen.me === undefined) return ['Your name is not known: set USER.'];
  const nothing = shown.tab === 'open' ? 'Nothing is open.' : `No issues in ${tabLabel(shown.tab)}.`;
  const elsewhere = (['open', 'ignored', 'resolved'] as const).flatMap((tab) => {
    const count = counts[tab];
    return count === 0 ? [] : [`${countWithNoun(count, 'issue')} in ${tabLabel(tab)}: press ${numberOf(tab)}.`];
  });
  return [nothing, '', ...elsewhere];
}

/** In which tabs issues match a filter that leaves the listed one empty. */
function noMatch({ counts, countedQuery }: IssuesScreen, shown: IssueSource): readonly string[] {
  const listed = listedTab(shown);
  const first = `No issue in ${tabLabel(listed)} matches.`;
  if (counts === undefined || countedQuery !== shown.query) return [first];
  const others = ISSUE_TABS.filter((tab) => tab !== listed && tab !== 'all' && counts[tab] > 0);
  const matches = others.map((tab) => {
    const verb = counts[tab] === 1 ? 'does' : 'do';
    return `${countWithNoun(counts[tab], 'issue')} in ${tabLabel(tab)} ${verb}: press ${numberOf(tab)}.`;
  });
  return [matches.length === 0 ? `${first} Esc clears the filter.` : [first, ...matches].join(' ')];
}

function numberOf(tab: IssueTab): number {
  return ISSUE_TABS.indexOf(tab) + 1;
}

/** How to send a first event, as shell lines that can be copied from a narrow window. */
function firstEvent(stats: Stats | undefined): readonly string[] {
  const endpoints = stats?.endpoints ?? {};
  const url = endpoints['events'] ?? DEFAULT_EVENTS_URL;
  const others = Object.entries(endpoints).filter(([id]) => id !== 'events');
  const known = Object.keys(endpoints).length > 0;
  return [
    known ? 'No failures yet. In another terminal:' : 'No failures yet. If the collector listens on its default port:',
    '',
    `curl ${url} -H 'content-type: application/json' \\`,
    `  -d '{"app":"shop","service":"api","env":"dev","route":"/",`,
    `       "error_name":"TestError","message":"it works"}'`,
    '',
    'The first failure appears here within a second.',
    ...(others.length === 0 ? [] : ['', 'It listens on:']),
    ...others.map(([id, address]) => `  ${id}  ${address}`),
    '',
    'Or run a program under Faultline: faultline run -- PROGRAM',
  ];
}
