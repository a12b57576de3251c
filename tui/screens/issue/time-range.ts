import type { IssueScreen, IssueTimeRange } from '../../state/issue-state.js';
import { joinQueries } from '../../state/query-terms.js';

export type RangeChange = 'earlier' | 'later' | 'narrower' | 'wider';

/** A new range is a quarter of all time, and a range moves by a quarter of its length. */
const PART = 4;
/** The shortest range. */
const MIN_MS = 1_000;

/**
 * Changes a range within all time. The first change selects the newest quarter; a range as long as all time becomes
 * undefined. Undefined also if all time is too short for a range.
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

/** A range of a length, moved into bounds. */
function rangeWithin(fromMs: number, lengthMs: number, bounds: { fromMs: number; toMs: number }): IssueTimeRange {
  const startMs = Math.max(bounds.fromMs, Math.min(fromMs, bounds.toMs - lengthMs));
  return toRange(startMs, startMs + lengthMs);
}

function toRange(fromMs: number, toMs: number): IssueTimeRange {
  return { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
}

/** UTF-16 units of a range in a query. */
export const RANGE_LENGTH = 80;

/** The filter joined with the range. */
export function effectiveQuery({ query, range }: Pick<IssueScreen, 'query' | 'range'>): string {
  if (range === undefined) return query;
  return joinQueries(rangeTerm(range), query, 'events');
}

/** In a query both ends of a range are inclusive. */
function rangeTerm({ from, to }: IssueTimeRange): string {
  return `timestamp:${from}..${new Date(Date.parse(to) - 1).toISOString()}`;
}
