import {
  latestWindow,
  movedRange,
  resizedRange,
  SPANS,
  type Span,
  type TimeRange,
} from '../../format/event/time-window.js';
import type { IssueScreen } from '../../state/issue-state.js';
import { joinQueries } from '../../state/query-terms.js';

/** What the commands `range_…` do to the window. */
export const RANGE_CHANGES = ['earlier', 'later', 'narrower', 'wider', 'all'] as const;
export type RangeChange = (typeof RANGE_CHANGES)[number];
type Window = Pick<IssueScreen, 'range' | 'span'>;

/** The bars of a window that is moved have at most this number of parts. */
const PARTS = 60;

/** Changes the window, which first ends with the latest event. Undefined at the shortest or longest, before the first event, after now. */
export function changeWindow(
  { issue, range, span }: IssueScreen,
  change: RangeChange,
  nowMs: number,
): Window | undefined {
  const shown = range ?? latestWindow(issue, span === 'all' ? '30d' : span, PARTS);
  switch (change) {
    case 'all':
      return { range: undefined, span: 'all' };
    case 'earlier':
      if (Date.parse(shown.from) <= Date.parse(issue.first_seen)) return undefined;
      return moveWindow(shown, span, -1, nowMs);
    case 'later':
      return moveWindow(shown, span, 1, nowMs);
    case 'narrower':
      return resizeWindow(shown, SPANS[SPANS.indexOf(span) - 1]);
    case 'wider':
      return resizeWindow(shown, SPANS[SPANS.indexOf(span) + 1]);
  }
}

function moveWindow(shown: TimeRange, span: Span, direction: 1 | -1, nowMs: number): Window | undefined {
  const range = span === 'all' ? undefined : movedRange(shown, direction, nowMs);
  return range && { range, span };
}

function resizeWindow(shown: TimeRange, span: Span | undefined): Window | undefined {
  if (span === undefined) return undefined;
  return { range: span === 'all' ? undefined : resizedRange(shown, span), span };
}

/** UTF-16 units of a range in a query. */
export const RANGE_LENGTH = 80;

/** The filter joined with the range. */
export function effectiveQuery({ query, range }: Pick<IssueScreen, 'query' | 'range'>): string {
  if (range === undefined) return query;
  // In a query both ends of a range are inclusive.
  const to = new Date(Date.parse(range.to) - 1).toISOString();
  return joinQueries(`timestamp:${range.from}..${to}`, query, 'events');
}
