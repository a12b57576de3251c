import { beginTimeSlice } from '../../../time-slice.js';
import { hourCountsOf, hourOfMs, oldestTrendHour } from '../count-event.js';
import { sampledIn } from '../segments/event-segment.js';
import type { IndexContent } from './index-content.js';
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
  const { segments, issues } = content;
  const slice = beginTimeSlice();
  const found = new Map<number, { events: number; sampled: number; repeated: number; hours: Map<number, number> }>();
  let events = 0;
  let throughMicros = 0;
  const last = segments.numberAt(beforeMicros - 1);
  for (let number = segments.sealed.firstSegment; number <= last; number += 1) {
    if (isCancelled()) return undefined;
    const segment = await segments.get(number);
    for (let index = 0; index < segment.rows; index += 1) {
      if (index % ROWS_PER_CHECK === 0 && slice.isOver) await slice.next();
      const row = segment.row(index);
      if (row === undefined || row.receivedAtMicros >= beforeMicros) break;
      if (row.receivedAtMicros < content.removed.beforeMicros) continue;
      const lost = found.get(row.ordinal) ?? { events: 0, sampled: 0, repeated: 0, hours: new Map<number, number>() };
      found.set(row.ordinal, lost);
      lost.events += row.weight;
      lost.sampled += sampledIn(row);
      lost.repeated += row.isRepeat ? 1 : 0;
      events += 1;
      throughMicros = row.receivedAtMicros;
      const hour = hourOfMs(row.eventTimeMs);
      const lastReceivedAt = issues.inOrder[row.ordinal]?.lastReceivedAtMicros ?? 0;
      if (row.weight > 0 && hour >= oldestTrendHour(lastReceivedAt))
        lost.hours.set(hour, (lost.hours.get(hour) ?? 0) + row.weight);
    }
  }
  if (slice.isOver) await slice.next();
  const inOrder = [...found].sort(([left], [right]) => left - right);
  return {
    events,
    throughMicros,
    issues: new Map(inOrder.map(([ordinal, lost]) => [ordinal, { ...lost, hours: hourCountsOf(lost.hours) }])),
  };
}

/** Records the issues that lose rows, lazily. */
export function* removalsOf(content: IndexContent, rows: RemovedRows): Generator<IssueRemoval> {
  for (const [ordinal, lost] of rows.issues) {
    const issue = content.issues.inOrder[ordinal];
    if (issue !== undefined) yield describeRemoval(issue, lost);
  }
}
