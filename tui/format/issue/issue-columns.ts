import type { IssueSort } from '../../../core/contract/reader.js';
import type { IssueSummary } from '../../../generated/reader-answers.js';
import type { Column } from '../../text/columns.js';
import { shortCount } from '../../text/counts.js';
import { LEVEL_CELLS, type Meaning } from '../../text/line.js';
import { relativeTime } from '../../text/moments.js';
import { sparkline, trendInWords } from '../../text/sparkline.js';
import { type IssueListShape, latestRelease } from './issue-list-shape.js';
import { fitTitles } from './issue-titles.js';
import { shortStateWords, stateWords } from './state-words.js';

/** The state signs before the level; the `?` screen explains them. */
export const ISSUE_SIGNS = {
  stale: '~',
  regressed: '!',
  spiking: '^',
  new: '+',
  resolved: '✓',
  ignored: '-',
  open: ' ',
} as const;

/** Other signs are muted. */
const SIGN_MEANINGS: Readonly<Partial<Record<keyof typeof ISSUE_SIGNS, Meaning>>> = {
  regressed: 'warning',
  spiking: 'warning',
  new: 'good',
  open: 'plain',
};

export interface IssueColumnsOptions {
  /** Ids of issues whose sources are lost. Default: none. */
  readonly stale?: ReadonlyMap<string, unknown>;
  /** Width of the list in cells. */
  readonly width: number;
  readonly nowMs: number;
  readonly shape: IssueListShape;
  /** Whether the list has issues that are not open, whose states are shown in words. */
  readonly hasStates: boolean;
  /** Marks the heading of this order; default: none. */
  readonly sort?: IssueSort;
  /** Stand between the title and the service, instead of the other columns. */
  readonly numbers?: readonly IssueColumn[] | undefined;
  /** Replaces signs and bars with words. */
  readonly isForScreenReader?: boolean;
  /** Default `unicode`. */
  readonly characters?: 'unicode' | 'ascii';
}

type LeadingOptions = Omit<IssueColumnsOptions, 'width' | 'nowMs' | 'shape' | 'numbers'>;
/** A column beside the title. */
export type IssueColumn = Column<IssueSummary> & { readonly cells: number };
type Name = (typeof RANKED)[number];

/** Cells of the cursor and the mark. */
const MARGIN = 2;
const MEDIUM_FROM = 100;
const BARS_12_FROM = 140;
const BARS_24_FROM = 200;
/** Windows below it keep the title `NARROW_TITLE` cells, others a share of the width. */
const NARROW_BELOW = 80;
const NARROW_TITLE = 30;
const TITLE_SHARE = 0.55;
const TITLE_SHARE_BESIDE_STATES = 0.45;
/** The columns behind the title, the most important first, and the order in which they are drawn. */
const RANKED = [
  'seen',
  'count',
  'state',
  'service',
  'owner',
  'trend',
  'users',
  'env',
  'release',
  'app',
  'age',
] as const;
const DRAWN = ['trend', 'count', 'users', 'seen', 'age', 'service', 'owner', 'state', 'env', 'release', 'app'] as const;

/** The columns of the issue list: sign, level and title, then by rank those that leave the title its share. */
export function issueColumns(options: IssueColumnsOptions): readonly Column<IssueSummary>[] {
  const first = leadingColumns(options);
  const { width, hasStates, numbers } = options;
  const columns = columnsByName(options);
  const titles: Column<IssueSummary> = { heading: 'ISSUE', cells: 'rest', lines: fitTitles };
  if (numbers !== undefined) return [...first, titles, ...numbers, ...[columns.service || []].flat()];
  const share = Math.ceil(width * (hasStates ? TITLE_SHARE_BESIDE_STATES : TITLE_SHARE));
  const least = width < NARROW_BELOW ? NARROW_TITLE : share;
  let title = width - MARGIN - first.reduce((sum, { cells }) => sum + cells + 1, 0);
  const shown = new Set<Name>();
  for (const name of RANKED) {
    const column = columns[name];
    if (column === false) continue;
    const isAlways = name === 'seen' || name === 'count' || (name === 'state' && options.isForScreenReader === true);
    if (!isAlways && title - column.cells - 1 < least) break;
    title -= column.cells + 1;
    shown.add(name);
  }
  return [...first, titles, ...DRAWN.flatMap((name) => (shown.has(name) && columns[name]) || [])];
}

/** Sign and level; for a screen reader the state in words instead of the sign. */
export function leadingColumns(options: LeadingOptions): IssueColumn[] {
  const level = { ...headed(options, 'LEVEL', 5, 'level'), ...LEVEL_CELLS };
  return [signColumn(options), level].filter((column) => column !== undefined);
}

/** The columns behind the title; false: one says nothing about these rows. */
function columnsByName(options: IssueColumnsOptions): Readonly<Record<Name, IssueColumn | false>> {
  const { nowMs, shape, hasStates, width, isForScreenReader = false } = options;
  const serviceCells = between(7, shape.service, width >= MEDIUM_FROM ? 12 : 8);
  const ofUsers = { ...headed(options, 'USERS', 5, 'users'), align: 'right' } as const;
  return {
    // Aligned to the heading without its mark.
    seen: {
      ...headed(options, 'SEEN', 5, 'last_seen'),
      text: (issue) => relativeTime(issue.last_seen, nowMs).padStart(4),
    },
    count: { ...headed(options, 'EVENTS', 6, 'count'), align: 'right', text: ({ count }) => shortCount(count) },
    state: hasStates && stateColumn(options),
    service: shape.service > 0 && { heading: 'SERVICE', cells: serviceCells, text: ({ service }) => service },
    owner: shape.owner > 0 && {
      heading: 'OWNER',
      cells: between(5, shape.owner, 8),
      text: ({ assignee }) => assignee ?? '',
    },
    trend: !hasStates && trendColumn(options, isForScreenReader),
    users: shape.hasUsers && { ...ofUsers, text: ({ users }) => (users === 0 ? '' : shortCount(users)) },
    env: shape.hasEnvironments && { heading: 'ENV', cells: 10, text: ({ environments: [first = ''] }) => first },
    release: shape.hasReleases && { heading: 'RELEASE', cells: 7, text: latestRelease },
    app: shape.app > 0 && { heading: 'APP', cells: between(3, shape.app, 12), text: ({ app }) => app },
    age: {
      ...headed(options, 'AGE', 4, 'first_seen'),
      align: 'right',
      text: ({ first_seen }) => relativeTime(first_seen, nowMs),
    },
  };
}

/** The heading of a column, marked and as wide as that needs if the list is in its order. */
function headed(
  { sort, characters = 'unicode' }: LeadingOptions,
  text: string,
  cells: number,
  own: IssueSort,
): { heading: string; cells: number } {
  if (sort !== own) return { heading: text, cells };
  return { heading: text + (characters === 'ascii' ? 'v' : '▾'), cells: Math.max(cells, text.length + 1) };
}

/** The sign; for a screen reader the state in words, unless another column has it. */
function signColumn(options: LeadingOptions): IssueColumn | undefined {
  if (options.isForScreenReader !== true) {
    return {
      ...headed(options, '', 1, 'status'),
      text: (issue) => ISSUE_SIGNS[signOf(issue, options.stale)],
      meaning: (issue) => SIGN_MEANINGS[signOf(issue, options.stale)] ?? 'muted',
    };
  }
  if (options.hasStates) return undefined;
  return { ...headed(options, 'STATE', 9, 'status'), text: (issue) => signOf(issue, options.stale) };
}

function stateColumn({ width, nowMs, isForScreenReader = false }: IssueColumnsOptions): IssueColumn {
  if (width >= MEDIUM_FROM || isForScreenReader) {
    return { heading: 'STATE', cells: 28, text: (issue) => stateWords(issue, nowMs) };
  }
  return { heading: 'STATE', cells: 14, text: (issue) => shortStateWords(issue, nowMs) };
}

function trendColumn(options: IssueColumnsOptions, isForScreenReader: boolean): IssueColumn {
  const cells = options.width < BARS_12_FROM ? 8 : options.width < BARS_24_FROM ? 12 : 24;
  const { heading } = headed(options, '24H', cells, 'trend');
  if (isForScreenReader) return { heading, cells: 13, text: ({ trend }) => trendInWords(trend) };
  return {
    heading,
    cells,
    text: ({ trend }) => sparkline(trend, cells),
    meaning: ({ spiking }) => (spiking ? 'warning' : 'bar'),
  };
}

function between(least: number, cells: number, most: number): number {
  return Math.max(least, Math.min(cells, most));
}

function signOf(issue: IssueSummary, stale: IssueColumnsOptions['stale']): keyof typeof ISSUE_SIGNS {
  if (stale?.has(issue.issue_id)) return 'stale';
  if (issue.status !== 'open') return issue.status;
  if (issue.regressed) return 'regressed';
  if (issue.spiking) return 'spiking';
  return issue.is_new ? 'new' : 'open';
}
