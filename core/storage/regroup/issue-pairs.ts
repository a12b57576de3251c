import { beginTimeSlice } from '../../time-slice.js';
import { RowWalk } from '../index/content/find-events.js';
import type { IndexContent } from '../index/content/index-content.js';
import type { EventRow } from '../index/segments/event-segment.js';

/** Events that an issue of one index shares with an issue of another. */
export interface IssuePair {
  /** Ordinals. */
  readonly before: number;
  readonly after: number;
  /** Includes sampled-out events by weight. */
  events: number;
  /** The first events, at most `MAX_SAMPLES`. */
  readonly samples: EventRow[];
}

const MAX_SAMPLES = 3;
const ROWS_PER_CHECK = 256;

/** Pairs the issues of two indexes of one record by shared events, in time slices. */
export class IssuePairs {
  readonly #before: RowWalk;
  readonly #after: RowWalk;
  /** By both ordinals. */
  readonly #pairs = new Map<string, IssuePair>();
  /** Stored events in both indexes. */
  events = 0;

  constructor(before: IndexContent, after: IndexContent) {
    this.#before = new RowWalk(before);
    this.#after = new RowWalk(after);
  }

  all(): Iterable<IssuePair> {
    return this.#pairs.values();
  }

  /** Adds rows of the later index, those of the open segment only `toTheEnd`. */
  async add(toTheEnd: boolean, signal: AbortSignal): Promise<void> {
    const slice = beginTimeSlice();
    for (let rows = 1; ; rows += 1) {
      if (rows % ROWS_PER_CHECK === 0 && slice.isOver) {
        await slice.next();
        signal.throwIfAborted();
      }
      const after = await this.#after.peek(toTheEnd);
      const before = after && (await this.#before.peek(true));
      if (before === undefined || after === undefined) return;
      this.#addRows(before, after);
    }
  }

  /** Pairs two rows of one event, and goes on behind the earlier of both rows. */
  #addRows(before: EventRow, after: EventRow): void {
    const order = orderOf(before, after);
    if (order === 0) this.#addPair(before, after);
    if (order <= 0) this.#before.advance();
    if (order >= 0) this.#after.advance();
  }

  #addPair(before: EventRow, after: EventRow): void {
    this.events += 1;
    const key = `${before.ordinal} ${after.ordinal}`;
    const pair = this.#pairs.get(key) ?? { before: before.ordinal, after: after.ordinal, events: 0, samples: [] };
    this.#pairs.set(key, pair);
    pair.events += after.weight;
    if (pair.samples.length < MAX_SAMPLES) pair.samples.push(after);
  }
}

function orderOf(a: EventRow, b: EventRow): number {
  if (a.receivedAtMicros !== b.receivedAtMicros) return a.receivedAtMicros - b.receivedAtMicros;
  if (a.partition.folder !== b.partition.folder) return a.partition.folder < b.partition.folder ? -1 : 1;
  return a.line - b.line;
}
