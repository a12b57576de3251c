import type { IssueSort } from '../../../core/contract/reader.js';
import { isNamelessError } from '../../../core/fingerprint/main-error.js';
import type { IssueSummary } from '../../../generated/reader-answers.js';
import type { Column } from '../../text/columns.js';
import { shortCount } from '../../text/counts.js';
import { levelMeaning, type Meaning } from '../../text/line.js';
import { sparkline, trendInWords } from '../../text/sparkline.js';
import { relativeTime } from '../../text/time-words.js';

/** The state signs before the level; the `?` screen explains them. */
export const ISSUE_SIGNS = {
  regressed: '!',
  spiking: '^',
  new: '+',
  resolved: '✓',
  ignored: '-',
  open: ' ',
} as const;

export interface IssueColumnsOptions {
  /** Marks the heading of this order; default: none. */
  readonly sort?: IssueSort;
  /** Replaces signs and bars with words. */
  readonly isForScreenReader?: boolean;
  /** Default `unicode`. */
  readonly characters?: 'unicode' | 'ascii';
}

/** Minimum widths for more columns; the title keeps at least 50 cells from 140 on, 60 beside the culprit. */
const MEDIUM = 100;
const WIDE = 185;

/** The columns of the issue list; the width decides which are visible. */
export function issueColumns(nowMs: number, options: IssueColumnsOptions = {}): readonly Column<IssueSummary>[] {
  const { sort, isForScreenReader = false, characters = 'unicode' } = options;
  const arrow = characters === 'ascii' ? 'v' : '▾';
  const heading = (text: string, own: IssueSort): string => (sort === own ? text + arrow : text);
  const state: Column<IssueSummary> = isForScreenReader
    ? { heading: heading('STATE', 'status'), cells: 9, text: signOf }
    : { heading: heading('', 'status'), cells: 1, text: (issue) => ISSUE_SIGNS[signOf(issue)], meaning: signMeaning };
  return [
    state,
    {
      heading: heading('LEVEL', 'level'),
      cells: 8,
      text: ({ level }) => level,
      meaning: ({ level }) => levelMeaning(level),
    },
    { heading: 'ISSUE', cells: 'rest', text: exampleTitle },
    { heading: 'CULPRIT', cells: 32, from: 220, text: ({ culprit }) => culprit ?? '', meaning: () => 'muted' },
    {
      heading: heading('24H', 'trend'),
      cells: (width) => (isForScreenReader ? 13 : trendCells(width)),
      text: ({ trend }, cells) => (isForScreenReader ? trendInWords(trend) : sparkline(trend, cells)),
      meaning: ({ spiking }) => (spiking ? 'warning' : 'bar'),
    },
    { heading: heading('COUNT', 'count'), cells: 6, align: 'right', text: ({ count }) => shortCount(count) },
    {
      heading: heading('USERS', 'users'),
      cells: 6,
      align: 'right',
      from: 90,
      text: ({ users }) => (users === 0 ? '' : shortCount(users)),
    },
    {
      heading: heading('SEEN', 'last_seen'),
      cells: 5,
      align: 'right',
      text: (issue) => relativeTime(issue.last_seen, nowMs),
    },
    {
      heading: heading('AGE', 'first_seen'),
      cells: 5,
      align: 'right',
      from: 110,
      text: ({ first_seen }) => relativeTime(first_seen, nowMs),
    },
    { heading: 'APP', cells: 12, from: 160, text: ({ app }) => app },
    {
      heading: 'SERVICE',
      cells: (width) => (width < MEDIUM ? 8 : 12),
      from: 70,
      text: ({ service }) => service,
    },
    {
      heading: 'ENV',
      cells: 12,
      from: MEDIUM,
      text: ({ environments }) => firstOf(environments),
    },
    {
      heading: 'RELEASE',
      cells: 12,
      from: 140,
      text: ({ releases }) => firstOf(releases.toReversed()),
    },
    { heading: 'ASSIGNED', cells: 10, from: 170, text: ({ assignee }) => assignee ?? '' },
  ];
}

/** Error name and message of the first event, which shows values where the title has placeholders. */
function exampleTitle({ title, error_name: name, message }: IssueSummary): string {
  const firstLine = message.trim().split(/[\r\n]/, 1)[0] ?? '';
  if (firstLine === '') return title;
  return isNamelessError(name) ? firstLine : `${name}: ${firstLine}`;
}

function trendCells(width: number): number {
  if (width < MEDIUM) return 8;
  return width < WIDE ? 12 : 24;
}

function signOf(issue: IssueSummary): keyof typeof ISSUE_SIGNS {
  if (issue.status !== 'open') return issue.status;
  if (issue.regressed) return 'regressed';
  if (issue.spiking) return 'spiking';
  return issue.is_new ? 'new' : 'open';
}

function signMeaning(issue: IssueSummary): Meaning {
  const sign = signOf(issue);
  return sign === 'regressed' || sign === 'spiking' ? 'warning' : 'muted';
}

/** The first name and the number of others. */
function firstOf(names: readonly string[]): string {
  const [first = '', ...others] = names;
  return others.length === 0 ? first : `${first}+${others.length}`;
}
