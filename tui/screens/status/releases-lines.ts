import type { ReleaseSummary } from '../../../generated/reader-answers.js';
import { bodyRows } from '../../components/layout.js';
import { listLines } from '../../components/list-lines.js';
import { RELEASE_ROWS, type ReleasesScreen } from '../../state/status-state.js';
import type { TerminalState } from '../../state/terminal-state.js';
import type { Column } from '../../text/columns.js';
import { shortCount } from '../../text/counts.js';
import { type Line, words } from '../../text/line.js';
import { relativeTime } from '../../text/moments.js';
import { sparkline, trendInWords } from '../../text/sparkline.js';

/** Title, order and column headings. */
const FIXED_ROWS = 3;
/** Columns from which deploys and bars are wider. */
const WIDE_FROM = 120;
const NOTHING: readonly Line[] = [
  [],
  [words('  No release is known.')],
  [],
  [words('  Events that name a release make one, and so do release calls.', 'muted')],
];

/** Rows of the list. */
export function releasesRows(state: TerminalState): number {
  return bodyRows(state, FIXED_ROWS);
}

/** The releases, the latest first. */
export function releasesLines(state: TerminalState, { list, isLoading }: ReleasesScreen): readonly Line[] {
  const order: Line = [words('  by first event, the latest first', 'muted')];
  if (list.rows.length === 0) return isLoading ? [order, [], [words('  Loading…')]] : NOTHING;
  const look = { cells: state.size.columns, rows: releasesRows(state) };
  return [order, ...listLines(list, RELEASE_ROWS, columnsOf(state), look)];
}

function columnsOf({ nowMs, size, habits }: TerminalState): readonly Column<ReleaseSummary>[] {
  const isWide = size.columns >= WIDE_FROM;
  const age = (time: string | null) => (time === null ? '' : relativeTime(time, nowMs));
  const number = (heading: string, cells: number, of: (release: ReleaseSummary) => number) => {
    const text = (release: ReleaseSummary) => (of(release) === 0 ? '' : shortCount(of(release)));
    return { heading, cells, align: 'right' as const, text };
  };
  const crashes = ({ health }: ReleaseSummary) => (health?.hours ?? []).map(({ crashed }) => crashed);
  const barCells = isWide ? 12 : 8;
  return [
    { heading: 'RELEASE', cells: 'rest', text: ({ name }) => name },
    { heading: 'FIRST', cells: 5, align: 'right', text: ({ first_seen, created_at }) => age(first_seen ?? created_at) },
    { heading: 'OUT', cells: 4, from: WIDE_FROM, align: 'right', text: ({ released_at }) => age(released_at) },
    {
      heading: 'DEPLOYED',
      cells: isWide ? 26 : 12,
      text: ({ deploys }) => deployedTo(deploys, isWide ? age : undefined),
    },
    number('EVENTS', 6, ({ events }) => events),
    number('USERS', 5, ({ users }) => users),
    number('NEW', 4, ({ new_issues }) => new_issues),
    number('BACK', 4, ({ regressed_issues }) => regressed_issues),
    number('GONE', 4, ({ gone_issues }) => gone_issues),
    { heading: 'NO CRASH', cells: 8, from: 70, align: 'right', text: ({ health }) => shareOf(health) },
    {
      heading: 'CRASHES',
      cells: habits.isForScreenReader ? 13 : barCells,
      from: 80,
      text: (release) => {
        const counts = crashes(release);
        if (counts.length === 0) return '';
        return habits.isForScreenReader ? trendInWords(counts) : sparkline(counts, barCells);
      },
      meaning: () => 'bar',
    },
  ];
}

/** The environments of the deploys with their ages, the latest first; without `age` the first one and the number of others. */
function deployedTo(deploys: ReleaseSummary['deploys'], age?: (time: string | null) => string): string {
  const latest = new Map<string, string>();
  for (const { environment, finished_at, started_at } of deploys) {
    if (!latest.has(environment)) latest.set(environment, age?.(finished_at ?? started_at) ?? '');
  }
  const [[first = ''] = []] = latest;
  if (age === undefined) return latest.size > 1 ? `${first}+${latest.size - 1}` : first;
  return [...latest].map(([environment, at]) => `${environment} ${at}`.trimEnd()).join(', ');
}

function shareOf(health: ReleaseSummary['health']): string {
  return health?.crash_free_sessions == null ? '' : `${health.crash_free_sessions}%`;
}
