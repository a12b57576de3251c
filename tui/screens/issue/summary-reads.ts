import { inParts, latestWindow, type TimeRange, type TimeWindow } from '../../format/event/time-window.js';
import type { IssueScreen, LoadedSummary, SummarySource } from '../../state/issue-state.js';
import { changeScreen, type StateRead, type TerminalState } from '../../state/terminal-state.js';
import { rejectedFilter } from './change-issue.js';
import { barCells } from './issue-bars.js';

/** Ages at which a summary is read again: with new events, and without. */
const NEW_EVENTS_MS = 2_000;
const UNCHANGED_MS = 15_000;
/** The values of all events are read without their times. */
const VALUES_ONLY = 1;

/** The facets to show, of the range if one is set; undefined until loaded. */
export function shownFacets({ range, summary, windowSummary }: IssueScreen): LoadedSummary | undefined {
  return range === undefined ? summary : windowSummary;
}

function shownWindow(state: TerminalState, { range, span, issue }: IssueScreen): TimeWindow {
  const cells = barCells(state);
  return range === undefined ? latestWindow(issue, span, cells) : inParts(range, cells);
}

/** Whether the facets belong to the current filter. */
export function areFacetsCurrent(screen: IssueScreen): boolean {
  const { query, range } = screen;
  const source = shownFacets(screen)?.source;
  return source?.query === query && isSameRange(source.range, range);
}

/** Reads of summaries that are missing or belong to another filter. */
export function missingSummary(state: TerminalState, screen: IssueScreen): StateRead[] {
  const { query, range, summary, windowSummary } = screen;
  const window = shownWindow(state, screen);
  const isCurrent = range !== undefined || summary?.source.query === query;
  const source = windowSummary?.source;
  const isWindowCurrent =
    source?.query === query && source.buckets === window.parts && isSameRange(source.range, window);
  return [...(isCurrent ? [] : [readAllTimes(state, screen)]), ...(isWindowCurrent ? [] : [readWindow(state, screen)])];
}

/** Reads of summaries that are due: soon after new events, seldom without. */
export function dueSummary(state: TerminalState, screen: IssueScreen): StateRead[] {
  const { issue, summary, windowSummary, range } = screen;
  const isDue = ({ source }: LoadedSummary): boolean => {
    const ageMs = state.nowMs - source.atMs;
    return ageMs >= (source.count === issue.count ? UNCHANGED_MS : NEW_EVENTS_MS);
  };
  return [
    ...(range === undefined && summary !== undefined && isDue(summary) ? [readAllTimes(state, screen)] : []),
    ...(windowSummary !== undefined && isDue(windowSummary) ? [readWindow(state, screen)] : []),
  ];
}

function readAllTimes(state: TerminalState, screen: IssueScreen): StateRead {
  return readSummary(state, screen, { range: undefined, buckets: VALUES_ONLY, member: 'summary' });
}

function readWindow(state: TerminalState, screen: IssueScreen): StateRead {
  const { from, to, parts } = shownWindow(state, screen);
  return readSummary(state, screen, { range: { from, to }, buckets: parts, member: 'windowSummary' });
}

type SummaryRequest = Pick<SummarySource, 'range' | 'buckets'> & { member: 'summary' | 'windowSummary' };

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
      const options = { buckets, query, ...range };
      const summary = await reader.summarizeEvents(issue.issue_id, options);
      return changeScreen('issue', key, (screen) => {
        if (summary === undefined) return { ...screen, reading: 'gone' };
        return screen.query === query ? { ...screen, [member]: { source, summary } } : { ...screen };
      });
    },
    onFault: (fault) =>
      query === '' && range === undefined ? undefined : rejectedFilter(key, (screen) => screen.query === query, fault),
  };
}

function isSameRange(one: TimeRange | undefined, other: TimeRange | undefined): boolean {
  return one?.from === other?.from && one?.to === other?.to;
}
