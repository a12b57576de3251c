import type { Stats } from '../../../generated/reader-answers.js';
import { ISSUE_TABS, type IssuesScreen } from '../../state/issues-state.js';
import type { TerminalState } from '../../state/terminal-state.js';

const DEFAULT_EVENTS_URL = 'http://localhost:4318/v1/events';
const ASKED_AGAIN = 'It is asked again every 30 seconds. The file of a token is then read again, a variable is not.';

/** What stands in the place of a list without issues: what is waited for, how to send a first event, or how to see others. */
export function emptyText({ connection, stats }: TerminalState, screen: IssuesScreen): readonly string[] {
  const { shown } = screen;
  if (connection.kind === 'lost') {
    return connection.isUnauthorized
      ? ['No access.', '', connection.reason, '', ASKED_AGAIN]
      : ['Waiting for the collector.', '', connection.reason];
  }
  if (shown === undefined) return ['Loading…'];
  if (shown.query !== '') return ['No issue matches this filter. Esc clears it.'];
  const counts = screen.countedQuery === '' ? screen.counts : undefined;
  if (shown.tab === 'all' || counts?.all === 0) return firstEvent(stats);
  // Whether there is anything at all is not known yet.
  if (counts === undefined) return ['Loading…'];
  const all = ISSUE_TABS.indexOf('all') + 1;
  const nothing = shown.tab === 'open' ? 'Nothing is open: all is well.' : `No issue is ${shown.tab}.`;
  return [nothing, '', `${all} shows all issues.`];
}

/** Where events are sent to, and how, in lines of a shell that can be copied from a narrow window. */
function firstEvent(stats: Stats | undefined): readonly string[] {
  const endpoints = stats?.endpoints ?? {};
  const url = endpoints['events'] ?? DEFAULT_EVENTS_URL;
  const others = Object.entries(endpoints).filter(([id]) => id !== 'events');
  const known = Object.keys(endpoints).length > 0;
  return [
    known
      ? 'No failure has arrived yet. Send one:'
      : 'No failure has arrived yet. Send one, with the collector at its usual address:',
    '',
    `curl ${url} -H 'content-type: application/json' \\`,
    `  -d '{"app":"shop","service":"api","env":"dev","route":"/",`,
    `       "error_name":"TestError","message":"it works"}'`,
    '',
    'This screen shows it as soon as it is stored.',
    ...(others.length === 0 ? [] : ['', 'It also listens here:']),
    ...others.map(([id, address]) => `  ${id}  ${address}`),
    '',
    'Or run a program under it: faultline run -- CMD   ·   ? lists the keys',
  ];
}
