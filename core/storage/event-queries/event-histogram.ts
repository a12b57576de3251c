import type { EventHistogram } from '../../../generated/reader-answers.js';
import type { EventSummaryOptions } from '../../contract/reader.js';
import { Fault } from '../../event/fault.js';
import { formatTimestamp, parseTimestamp } from '../../normalize/timestamp.js';
import { beginTimeSlice } from '../../time-slice.js';
import type { IndexContent } from '../index/content/index-content.js';
import type { IssueState } from '../index/content/issue-state.js';
import { rowsOfIssues } from './event-cursor.js';

const DEFAULT_BUCKETS = 60;
const MAX_BUCKETS = 240;
const MS_PER_SECOND = 1000;
const MS_PER_MINUTE = 60_000;
/** Longer default ranges begin and end with whole minutes. */
const LONG_RANGE_MS = 60 * MS_PER_MINUTE;
/** 9999-12-31T23:59:59.999Z, the last valid event time. */
const LAST_MS = 253_402_300_799_999;
/** Counting stops after this time. */
const BUDGET_MS = 100;

/** Event times in milliseconds since the epoch; `toMs` is exclusive. */
export interface HistogramRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The requested range, by default that of all events of the issue. Throws `PARAMETER_INVALID`. */
export function histogramRange({ from, to }: EventSummaryOptions, issue: IssueState): HistogramRange {
  const givenFromMs = from === undefined ? undefined : instantOf('from', from);
  const givenToMs = to === undefined ? undefined : instantOf('to', to);
  const { firstSeenMs, lastSeenMs } = issue;
  const unit = lastSeenMs - firstSeenMs > LONG_RANGE_MS ? MS_PER_MINUTE : MS_PER_SECOND;
  const fromMs = givenFromMs ?? Math.floor(Math.min(firstSeenMs, (givenToMs ?? LAST_MS) - 1) / unit) * unit;
  const afterLast = (Math.floor(Math.max(lastSeenMs, fromMs) / unit) + 1) * unit;
  const toMs = givenToMs ?? Math.min(afterLast, LAST_MS);
  if (toMs <= fromMs) throw new Fault('PARAMETER_INVALID', 'nothing lies between from and to: from must be before to');
  return { fromMs, toMs };
}

function instantOf(name: string, text: string): number {
  const instant = parseTimestamp(text);
  if (instant !== undefined) return instant.ms;
  throw new Fault('PARAMETER_INVALID', `${name} must be a time, for example 2026-11-21T10:00:00Z`);
}

/** Counts events in buckets of equal length, 1 to 240 of them; other numbers are clamped. Events outside the range are ignored. */
export class HistogramCounts {
  readonly #range: HistogramRange;
  readonly #counts: number[];

  constructor(range: HistogramRange, buckets = DEFAULT_BUCKETS) {
    const wanted = Number.isNaN(buckets) ? DEFAULT_BUCKETS : Math.trunc(buckets);
    this.#range = range;
    this.#counts = new Array<number>(Math.min(Math.max(wanted, 1), MAX_BUCKETS)).fill(0);
  }

  /** `weight`: the number of events it stands for. */
  add(eventTimeMs: number, weight: number): void {
    const { fromMs, toMs } = this.#range;
    if (eventTimeMs < fromMs || eventTimeMs >= toMs) return;
    const bucket = Math.floor(((eventTimeMs - fromMs) / (toMs - fromMs)) * this.#counts.length);
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + weight;
  }

  histogram(isComplete: boolean): EventHistogram {
    const { fromMs, toMs } = this.#range;
    return {
      from: formatTimestamp({ ms: fromMs, nanos: 0 }),
      to: formatTimestamp({ ms: toMs, nanos: 0 }),
      counts: [...this.#counts],
      is_complete: isComplete,
    };
  }
}

/** Counts events by the index alone; returns whether all were counted in time. */
export async function countEventTimes(
  content: IndexContent,
  members: readonly IssueState[],
  counts: HistogramCounts,
): Promise<boolean> {
  const deadline = performance.now() + BUDGET_MS;
  const slice = beginTimeSlice();
  let isLate = false;
  for await (const { segment, rows } of rowsOfIssues(content, members)) {
    if (isLate) return false;
    for (const index of rows) counts.add(segment.eventTimeMsAt(index), segment.weightAt(index));
    isLate = performance.now() >= deadline;
    if (slice.isOver) await slice.next();
  }
  return true;
}
