import { beginTimeSlice } from '../../../time-slice.js';
import { hourCountsOf, hourOfMs, oldestTrendHour } from '../count-event.js';
import { type EventRow, sampledIn } from '../segments/event-segment.js';
import type { IndexContent } from './index-content.js';
import type { IssueTable } from './issue-table.js';
import { describeRemoval, type IssueRemoval, type LostRows } from './removal.js';

/** What the index loses with the events before an instant. */
interface RemovedRows {
  /** Without those sampled out. */
  readonly events: number;
  /** `received_at` of the last event, 0 if none. */
  readonly throughMicros: number;
  /** By ordinal, ascending. */
  readonly issues: ReadonlyMap<number, LostRows>;
}

const ROWS_PER_CHECK = 256;

/**
 * Counts the events before a past instant by issue, in time slices. Returns undefined if `isCancelled` becomes true. Rejects with
 * `INDEX_UNUSABLE`.
 */
export async function countRowsBefore(
  content: IndexContent,
  beforeMicros: number,
  isCancelled: () => boolean,
): Promise<RemovedRows | undefined> {
  const { segments } = content;
  const slice = beginTimeSlice();
  const counter = new RemovedRowCounter(content);
  const last = segments.numberAt(beforeMicros - 1);
  for (let number = segments.sealed.firstSegment; number <= last; number += 1) {
    if (isCancelled()) return undefined;
    const segment = await segments.get(number);
    const end = segment.rowIndexAt(beforeMicros);
    for (let index = segment.rowIndexAt(content.removed.beforeMicros); index < end; index += 1) {
      if (index % ROWS_PER_CHECK === 0 && slice.isOver) await slice.next();
      const row = segment.row(index);
      if (row !== undefined) counter.add(row);
    }
  }
  if (slice.isOver) await slice.next();
  return counter.result();
}

/** What one issue loses, while it is counted. */
interface CountedLoss {
  events: number;
  sampled: number;
  repeated: number;
  /** Events by hour. */
  readonly hours: Map<number, number>;
}

class RemovedRowCounter {
  readonly #issues: IssueTable;
  /** By ordinal. */
  readonly #losses = new Map<number, CountedLoss>();
  #events = 0;
  #throughMicros = 0;

  constructor({ issues }: IndexContent) {
    this.#issues = issues;
  }

  /** Rows must be added in order of arrival. */
  add(row: EventRow): void {
    const loss = this.#lossOf(row.ordinal);
    loss.events += row.weight;
    loss.sampled += sampledIn(row);
    loss.repeated += row.repeats === undefined ? 0 : 1;
    this.#events += 1;
    this.#throughMicros = row.receivedAtMicros;
    const hour = hourOfMs(row.eventTimeMs);
    if (row.weight > 0 && hour >= this.#oldestTrendHour(row.ordinal)) {
      loss.hours.set(hour, (loss.hours.get(hour) ?? 0) + row.weight);
    }
  }

  result(): RemovedRows {
    const issues = new Map<number, LostRows>();
    const inOrder = [...this.#losses].sort(([left], [right]) => left - right);
    for (const [ordinal, loss] of inOrder) issues.set(ordinal, { ...loss, hours: hourCountsOf(loss.hours) });
    return { events: this.#events, throughMicros: this.#throughMicros, issues };
  }

  #lossOf(ordinal: number): CountedLoss {
    let loss = this.#losses.get(ordinal);
    if (loss === undefined) {
      loss = { events: 0, sampled: 0, repeated: 0, hours: new Map() };
      this.#losses.set(ordinal, loss);
    }
    return loss;
  }

  /** Earlier hours are not in the trend of the issue any more. */
  #oldestTrendHour(ordinal: number): number {
    return oldestTrendHour(this.#issues.inOrder[ordinal]?.lastReceivedAtMicros ?? 0);
  }
}

/** Records the issues that lose rows, lazily. */
export function* removalsOf(content: IndexContent, rows: RemovedRows): Generator<IssueRemoval> {
  for (const [ordinal, lost] of rows.issues) {
    const issue = content.issues.inOrder[ordinal];
    if (issue !== undefined) yield describeRemoval(issue, lost);
  }
}
