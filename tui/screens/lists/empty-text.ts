import type { Stats } from '../../../generated/reader-answers.js';
import { ISSUE_TABS } from '../../state/issue-tabs.js';
import type { IssuesScreen } from '../../state/issues-state.js';
import type { TerminalState } from '../../state/terminal-state.js';

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
  if (shown.query !== '') return ['No issue matches. Esc clears the filter.'];
  const counts = screen.countedQuery === '' ? screen.counts : undefined;
  if (shown.tab === 'all' || counts?.all === 0) return firstEvent(stats);
  // Without counts, the store may be empty.
  if (counts === undefined) return ['Loading…'];
  const all = ISSUE_TABS.indexOf('all') + 1;
  const nothing = shown.tab === 'open' ? 'Nothing is open.' : `No ${shown.tab} issues.`;
  return [nothing, '', `Press ${all} for all issues.`];
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
