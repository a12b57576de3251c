import type { Stats } from '../../../generated/reader-answers.js';
import { ISSUE_TABS, type IssueTab, listedTab, tabLabel } from '../../state/issue-tabs.js';
import type { IssueSource, IssuesScreen } from '../../state/issues-state.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { countWithNoun } from '../../text/counts.js';
import { filterPromptOf } from './filter-prompt.js';
import { nothingSince } from './since-lines.js';

const LABELS: Readonly<Record<string, string>> = {
  events: 'faultline events',
  otlp: 'OpenTelemetry',
  sentry: 'Sentry SDKs',
};
const DEFAULT_URL = 'http://localhost:4318';
const OTHER_SOURCES = [
  'Start one:              faultline collect',
  'Use another one:        faultline browse --url http://HOST:4319',
  'Read a folder:          faultline browse --data DIR',
  'Look around first:      faultline demo',
];
const TOKEN_ADVICE = [
  'Start again with --token-file FILE, or set FAULTLINE_TOKEN.',
  'The token file is read again every 30 seconds.',
];

/** The text of an empty list: why it is empty, and what would fill it. */
export function emptyText(state: TerminalState, screen: IssuesScreen): readonly string[] {
  const { connection, stats } = state;
  const { shown } = screen;
  if (connection.kind === 'lost') {
    const { reason, isUnauthorized } = connection;
    if (isUnauthorized) return [`${reason.split('; ')[0]}.`, '', ...TOKEN_ADVICE];
    if (!reason.startsWith('No collector at ')) return [reason];
    return [reason.replace(/(?<=\.) .*$/, ''), '', ...OTHER_SOURCES];
  }
  if (shown === undefined) return ['Loading…'];
  if (shown.since !== undefined) return nothingSince(shown.since, screen.since);
  if (shown.query !== '') return noMatch(state, screen, shown);
  const counts = screen.countedQuery === '' ? screen.counts : undefined;
  if (shown.tab === 'all' || counts?.all === 0) return firstEvent(stats);
  // Without counts, the store may be empty.
  if (counts === undefined) return ['Loading…'];
  if (shown.tab === 'mine' && screen.me === undefined) return ['Your name is not known: set USER.'];
  const nothing = shown.tab === 'open' ? 'Nothing is open.' : `No issues in ${tabLabel(shown.tab)}.`;
  const elsewhere = (['open', 'ignored', 'resolved'] as const).flatMap((tab) => {
    const verb = counts[tab] === 1 ? 'is' : 'are';
    return counts[tab] === 0 ? [] : [`${countWithNoun(counts[tab], 'issue')} ${verb} ${tab} (${numberOf(tab)}).`];
  });
  return [nothing, '', ...elsewhere];
}

/** In which tabs issues match a filter that leaves the listed one empty, and which of its terms exclude them. */
function noMatch(state: TerminalState, screen: IssuesScreen, shown: IssueSource): readonly string[] {
  const { counts, countedQuery, without } = screen;
  const isTyped = filterPromptOf(state) !== undefined;
  const listed = listedTab(shown);
  const first = `No issue in ${tabLabel(listed)} matches.`;
  if (counts === undefined || countedQuery !== shown.query) return [first];
  const others = ISSUE_TABS.filter((tab) => tab !== listed && tab !== 'all' && counts[tab] > 0);
  const matches = others.map((tab) => {
    const verb = `${counts[tab] === 1 ? 'does' : 'do'}: ${isTyped ? 'Enter, then' : 'press'}`;
    return `${countWithNoun(counts[tab], 'issue')} in ${tabLabel(tab)} ${verb} ${numberOf(tab)}.`;
  });
  const terms = (without?.query === shown.query ? without.terms : []).filter((one) => one.counts[listed] > 0);
  const width = Math.max(...terms.map(({ term }) => term.length));
  return [
    [first, ...matches, ...(matches.length > 0 ? [] : [`Esc ${isTyped ? 'cancels' : 'clears the filter'}.`])].join(' '),
    ...(terms.length === 0 ? [] : ['', 'Without one of the terms:']),
    ...terms.map((one) => `  ${one.term.padEnd(width)}   ${countWithNoun(one.counts[listed], 'issue')}`),
  ];
}

function numberOf(tab: IssueTab): number {
  return ISSUE_TABS.indexOf(tab) + 1;
}

function firstEvent(stats: Stats | undefined): readonly string[] {
  const addresses = Object.entries(stats?.addresses ?? {}).map(([id, urls]) => {
    const type = id.split('/').find((part) => part in LABELS) ?? id;
    return { label: LABELS[type] ?? id, type, urls };
  });
  const width = Math.max(...addresses.map(({ label }) => label.length));
  const lines = addresses.map(({ label, urls }) => {
    return `  ${label.padEnd(width)}   ${urls.join(', ').replaceAll(/grpcs?:\/\//g, 'gRPC ')}`;
  });
  const events = addresses.find(({ type }) => type === 'events')?.urls[0]?.replace(/\/v1\/events$/, '');
  const option = events === undefined || events === DEFAULT_URL ? '' : ` --url ${events}`;
  return [
    `No failures yet.${lines.length === 0 ? '' : ' Faultline listens on this machine:'}`,
    '',
    ...(lines.length === 0 ? [] : [...lines, '']),
    'In another terminal, send a test event or run a program under Faultline:',
    '',
    `  faultline send${option}`,
    '  faultline run -- node server.js',
    '',
    'The first failure appears here within a second.',
  ];
}
