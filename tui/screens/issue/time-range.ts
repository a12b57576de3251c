import type { IssueScreen, IssueTimeRange } from '../../state/issue-state.js';
import { joinQueries } from '../../state/query-terms.js';

/** How a range is changed. */
export type RangeChange = 'earlier' | 'later' | 'narrower' | 'wider';

/** Of all time, the part with which a range begins; and of a range, the part by which it moves. */
const PART = 4;
/** The shortest range: shorter ones cannot be told from a moment. */
const MIN_MS = 1_000;

/**
 * A range after a change, held to all time. Without one the newest quarter is the range, whatever the change; one that would be as long as all time is none.
 * Undefined also where there is nothing to take a part of.
 */
export function changeRange(
  range: IssueTimeRange | undefined,
  change: RangeChange,
  all: IssueTimeRange,
): IssueTimeRange | undefined {
  const bounds = { fromMs: Date.parse(all.from), toMs: Date.parse(all.to) };
  const wholeMs = bounds.toMs - bounds.fromMs;
  if (!(wholeMs > MIN_MS)) return undefined;
  if (range === undefined) return toRange(bounds.toMs - Math.max(MIN_MS, Math.round(wholeMs / PART)), bounds.toMs);
  const [fromMs, toMs] = [Date.parse(range.from), Date.parse(range.to)];
  const lengthMs = toMs - fromMs;
  const stepMs = Math.max(1, Math.round(lengthMs / PART));
  const middleMs = Math.round((fromMs + toMs) / 2);
  switch (change) {
    case 'earlier':
      return rangeWithin(fromMs - stepMs, lengthMs, bounds);
    case 'later':
      return rangeWithin(fromMs + stepMs, lengthMs, bounds);
    case 'narrower': {
      const narrowMs = Math.max(Math.min(MIN_MS, lengthMs), Math.round(lengthMs / 2));
      return rangeWithin(middleMs - Math.round(narrowMs / 2), narrowMs, bounds);
    }
    case 'wider':
      return lengthMs * 2 >= wholeMs ? undefined : rangeWithin(middleMs - lengthMs, lengthMs * 2, bounds);
  }
}

/** A range of a length, moved as little as needed to lie within bounds. */
function rangeWithin(fromMs: number, lengthMs: number, bounds: { fromMs: number; toMs: number }): IssueTimeRange {
  const held = Math.max(bounds.fromMs, Math.min(fromMs, bounds.toMs - lengthMs));
  return toRange(held, held + lengthMs);
}

function toRange(fromMs: number, toMs: number): IssueTimeRange {
  return { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
}

/** Room that a range takes in a query. */
export const RANGE_LENGTH = 80;

/** The query of the events that are listed: what was typed, held to the range. */
export function effectiveQuery({ query, range }: Pick<IssueScreen, 'query' | 'range'>): string {
  if (range === undefined) return query;
  return joinQueries(rangeTerm(range), query, 'events');
}

/** Both ends of a range in a query belong to it. */
function rangeTerm({ from, to }: IssueTimeRange): string {
  return `timestamp:${from}..${new Date(Date.parse(to) - 1).toISOString()}`;
}
