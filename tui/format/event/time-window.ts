import type { IssueSummary } from '../../../generated/reader-answers.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The lengths of time windows, shortest first; `all` is the time of all events. */
export const SPANS = ['1h', '6h', '24h', '7d', '30d', 'all'] as const;
export type Span = (typeof SPANS)[number];

const LENGTHS: Readonly<Record<Exclude<Span, 'all'>, number>> = {
  '1h': HOUR_MS,
  '6h': 6 * HOUR_MS,
  '24h': DAY_MS,
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
};
/** Lengths of the part of one bar. */
const PARTS = [
  MINUTE_MS,
  5 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  6 * HOUR_MS,
  DAY_MS,
  7 * DAY_MS,
] as const;
const FIRST_MS = Date.parse('0001-01-01T00:00:00Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');
/** The most parts that a reader counts. */
const MAX_PARTS = 240;

type Seen = Pick<IssueSummary, 'first_seen' | 'last_seen'>;

/** A range of time, RFC 3339; `to` is exclusive. */
export interface TimeRange {
  readonly from: string;
  readonly to: string;
}

/** A time window in parts of equal, round length, of which each is one bar. */
export interface TimeWindow extends TimeRange {
  readonly parts: number;
}

/** The window of a length that ends with the part of the latest event, in at most `cells` parts. */
export function latestWindow({ first_seen, last_seen }: Seen, span: Span, cells: number): TimeWindow {
  // A source may send anything for a time.
  const lastMs = Date.parse(last_seen) || 0;
  const firstMs = Date.parse(first_seen) || 0;
  // The first and the last part of all times begin before the first event and end after the last one.
  const partMs = span === 'all' ? partOf(lastMs - firstMs, cells - 2) : partOf(LENGTHS[span], cells);
  const toMs = (Math.floor(lastMs / partMs) + 1) * partMs;
  const fromMs = span === 'all' ? Math.floor(firstMs / partMs) * partMs : toMs - LENGTHS[span];
  return { ...rangeOf(fromMs, toMs), parts: Math.round((toMs - fromMs) / partMs) };
}

/** A range in as many round parts as fit `cells`. */
export function inParts({ from, to }: TimeRange, cells: number): TimeWindow {
  const lengthMs = Date.parse(to) - Date.parse(from);
  return { from, to, parts: Math.max(1, Math.floor(lengthMs / partOf(lengthMs, cells))) };
}

/** A range moved by its own length, `steps` times; undefined if it would begin after `nowMs`. */
export function movedRange({ from, to }: TimeRange, steps: number, nowMs: number): TimeRange | undefined {
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  const byMs = steps * (toMs - fromMs);
  return fromMs + byMs > nowMs ? undefined : rangeOf(fromMs + byMs, toMs + byMs);
}

/** The range of another length with the same end. */
export function resizedRange({ to }: TimeRange, span: Exclude<Span, 'all'>): TimeRange {
  const toMs = Date.parse(to);
  return rangeOf(toMs - LENGTHS[span], toMs);
}

/** The shortest round part of which at most `cells` make a length. */
function partOf(lengthMs: number, cells: number): number {
  const most = Math.max(1, Math.min(cells, MAX_PARTS));
  return PARTS.find((ms) => lengthMs / ms <= most) ?? Math.ceil(lengthMs / most / DAY_MS) * DAY_MS;
}

/** A range of times, each within the years that a reader takes. */
export function rangeOf(fromMs: number, toMs: number): TimeRange {
  const [from = '', to = ''] = [fromMs, toMs].map((ms) =>
    new Date(Math.min(Math.max(ms, FIRST_MS), LAST_MS)).toISOString(),
  );
  return { from, to };
}
