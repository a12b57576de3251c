import type { IssueScreen, IssueTimeRange, LoadedSummary, SummarySource } from '../../state/issue-state.js';
import type { StateRead, TerminalState } from '../../state/terminal-state.js';
import { changeIssue, rejectedFilter } from './change-issue.js';
import { bucketsOf } from './issue-layout.js';

/** Ages at which a summary is read again: with new events, and without. */
const NEW_EVENTS_MS = 2_000;
const UNCHANGED_MS = 15_000;
/** The summary of a range is read for its facets alone. */
const FACETS_ONLY = 1;

/** The facets to show, of the range if one is set; undefined until loaded. */
export function shownFacets({ range, summary, rangeSummary }: IssueScreen): LoadedSummary | undefined {
  return range === undefined ? summary : rangeSummary;
}

/** Whether the facets belong to the current filter. */
export function areFacetsCurrent(screen: IssueScreen): boolean {
  const { query, range } = screen;
  const source = shownFacets(screen)?.source;
  return source !== undefined && source.query === query && isSameRange(source.range, range);
}

/** Reads of summaries that are missing or belong to another filter. */
export function missingSummary(state: TerminalState, screen: IssueScreen): StateRead[] {
  const { query, range, summary, rangeSummary } = screen;
  const isCurrent = summary?.source.query === query && summary.source.buckets === bucketsOf(state);
  const isRangeCurrent =
    range === undefined || (rangeSummary?.source.query === query && isSameRange(rangeSummary.source.range, range));
  return [
    ...(isCurrent ? [] : [readFullSummary(state, screen)]),
    ...(isRangeCurrent ? [] : [readRangeSummary(state, screen)]),
  ];
}

/** Reads of summaries that are due: soon after new events, seldom without. */
export function dueSummary(state: TerminalState, screen: IssueScreen): StateRead[] {
  const { issue, summary, rangeSummary, range } = screen;
  const isDue = ({ source }: LoadedSummary): boolean => {
    const ageMs = state.nowMs - source.atMs;
    return ageMs >= (source.count === issue.count ? UNCHANGED_MS : NEW_EVENTS_MS);
  };
  return [
    ...(summary !== undefined && isDue(summary) ? [readFullSummary(state, screen)] : []),
    ...(range !== undefined && rangeSummary !== undefined && isDue(rangeSummary)
      ? [readRangeSummary(state, screen)]
      : []),
  ];
}

function readFullSummary(state: TerminalState, screen: IssueScreen): StateRead {
  return readSummary(state, screen, { range: undefined, buckets: bucketsOf(state), member: 'summary' });
}

function readRangeSummary(state: TerminalState, screen: IssueScreen): StateRead {
  return readSummary(state, screen, { range: screen.range, buckets: FACETS_ONLY, member: 'rangeSummary' });
}

type SummaryRequest = Pick<SummarySource, 'range' | 'buckets'> & { member: 'summary' | 'rangeSummary' };

/** One read of each summary at a time; an outdated one changes nothing visible, and the new object starts the next read. */
function readSummary(
  { nowMs }: TerminalState,
  { key, issue, query }: IssueScreen,
  { range, buckets, member }: SummaryRequest,
): StateRead {
  const source: SummarySource = { query, range, buckets, count: issue.count, atMs: nowMs };
  return {
    name: `summary ${key} ${member}`,
    perform: async (reader) => {
      const options = { buckets, ...(query !== '' && { query }), ...range };
      const summary = await reader.summarizeEvents(issue.issue_id, options);
      return changeIssue(key, (screen) => {
        if (summary === undefined) return { ...screen, reading: 'gone' };
        const isWanted = screen.query === query && (member === 'summary' || isSameRange(screen.range, range));
        return isWanted ? { ...screen, [member]: { source, summary } } : { ...screen };
      });
    },
    onFault: (fault) => {
      const isFiltered = query !== '' || range !== undefined;
      return isFiltered ? rejectedFilter(key, (screen) => screen.query === query, fault) : undefined;
    },
  };
}

function isSameRange(one: IssueTimeRange | undefined, other: IssueTimeRange | undefined): boolean {
  return one?.from === other?.from && one?.to === other?.to;
}
