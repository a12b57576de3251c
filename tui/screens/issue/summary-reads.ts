import type { IssueScreen, IssueTimeRange, LoadedSummary, SummarySource } from '../../state/issue-state.js';
import type { StateRead, TerminalState } from '../../state/terminal-state.js';
import { changeIssue, rejectedFilter } from './change-issue.js';
import { bucketsOf } from './issue-layout.js';

/** New events are in the histogram after so long, and what only time changes after so long. */
const NEWS_AFTER_MS = 2_000;
const AGAIN_AFTER_MS = 15_000;
/** A summary of a range is read for its facets alone. */
const FACETS_ONLY = 1;

/** The facets that are shown: of the range, where there is one; undefined until they are read. */
export function shownFacets({ range, summary: whole, rangeSummary: held }: IssueScreen): LoadedSummary | undefined {
  return range === undefined ? whole : held;
}

/** Whether the facets are those of the filter that is asked for. */
export function areFacetsCurrent(screen: IssueScreen): boolean {
  const { query, range } = screen;
  const source = shownFacets(screen)?.source;
  return source !== undefined && source.query === query && isSameRange(source.range, range);
}

/** The summaries that were read for something else than what is asked for now, or not at all. */
export function missingSummary(state: TerminalState, screen: IssueScreen): StateRead[] {
  const { query, range, summary: whole, rangeSummary: held } = screen;
  const isWhole = whole?.source.query === query && whole.source.buckets === bucketsOf(state);
  const isHeld = range === undefined || (held?.source.query === query && isSameRange(held.source.range, range));
  return [...(isWhole ? [] : [readFullSummary(state, screen)]), ...(isHeld ? [] : [readRangeSummary(state, screen)])];
}

/** The summaries that are to be read again: soon after events came, seldom where none did. */
export function dueSummary(state: TerminalState, screen: IssueScreen): StateRead[] {
  const { issue, summary: whole, rangeSummary: held, range } = screen;
  const isDue = ({ source }: LoadedSummary): boolean => {
    const ageMs = state.nowMs - source.atMs;
    return ageMs >= (source.count === issue.count ? AGAIN_AFTER_MS : NEWS_AFTER_MS);
  };
  return [
    ...(whole !== undefined && isDue(whole) ? [readFullSummary(state, screen)] : []),
    ...(range !== undefined && held !== undefined && isDue(held) ? [readRangeSummary(state, screen)] : []),
  ];
}

function readFullSummary(state: TerminalState, screen: IssueScreen): StateRead {
  const source = { ...sourceOf(state, screen), range: undefined, buckets: bucketsOf(state) };
  return readSummary(screen, source, 'whole');
}

function readRangeSummary(state: TerminalState, screen: IssueScreen): StateRead {
  return readSummary(screen, { ...sourceOf(state, screen), range: screen.range, buckets: FACETS_ONLY }, 'held');
}

function sourceOf(
  { nowMs }: TerminalState,
  { query, issue }: IssueScreen,
): Pick<SummarySource, 'query' | 'count' | 'atMs'> {
  return { query, count: issue.count, atMs: nowMs };
}

/** One reading of each at a time: an answer that nobody wants any more changes nothing that is seen, and lets the next one be asked for. */
function readSummary(asked: IssueScreen, source: SummarySource, place: 'whole' | 'held'): StateRead {
  const { key, issue } = asked;
  const { query, range, buckets } = source;
  return {
    name: `summary ${key} ${place}`,
    perform: async (reader) => {
      const options = { buckets, ...(query !== '' && { query }), ...range };
      const summary = await reader.summarizeEvents(issue.issue_id, options);
      return changeIssue(key, (screen) => {
        if (summary === undefined) return { ...screen, reading: 'gone' };
        const isWanted = screen.query === query && (place === 'whole' || isSameRange(screen.range, range));
        return isWanted ? { ...screen, [place]: { source, summary } } : { ...screen };
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
