import { beginTimeSlice } from '../../time-slice.js';
import type { IndexContent } from '../index/content/index-content.js';
import { RowWalk } from '../index/row-walk.js';
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
/** Larger than any ordinal, so that two ordinals make a unique key. */
const ORDINALS = 2 ** 26;
const ROWS_PER_CHECK = 256;

/** Pairs the issues of two indexes of one record by shared events, in time slices. */
export class IssuePairs {
  readonly #before: RowWalk;
  readonly #after: RowWalk;
  readonly #pairs = new Map<number, IssuePair>();
  /** Stored events in both indexes. */
  events = 0;

  constructor(before: IndexContent, after: IndexContent) {
    this.#before = new RowWalk(before);
    this.#after = new RowWalk(after);
  }

  get all(): Iterable<IssuePair> {
    return this.#pairs.values();
  }

  /** Adds rows of the later index, those of the open segment only `toTheEnd`. */
  async add(toTheEnd: boolean, signal: AbortSignal): Promise<void> {
    const slice = beginTimeSlice();
    for (let looked = 1; ; looked += 1) {
      if (looked % ROWS_PER_CHECK === 0 && slice.isOver) {
        await slice.next();
        signal.throwIfAborted();
      }
      const after = await this.#after.peek(toTheEnd);
      if (after === undefined) return;
      const before = await this.#before.peek(true);
      if (before === undefined) return;
      const order = orderOf(before, after);
      if (order === 0) this.#add(before, after);
      if (order <= 0) this.#before.advance();
      if (order >= 0) this.#after.advance();
    }
  }

  #add(before: EventRow, after: EventRow): void {
    const key = before.ordinal * ORDINALS + after.ordinal;
    const known = this.#pairs.get(key);
    this.events += 1;
    if (known === undefined) {
      this.#pairs.set(key, { before: before.ordinal, after: after.ordinal, events: after.weight, samples: [after] });
      return;
    }
    known.events += after.weight;
    if (known.samples.length < MAX_SAMPLES) known.samples.push(after);
  }
}

function orderOf(a: EventRow, b: EventRow): number {
  if (a.receivedAtMicros !== b.receivedAtMicros) return a.receivedAtMicros - b.receivedAtMicros;
  if (a.partition.folder !== b.partition.folder) return a.partition.folder < b.partition.folder ? -1 : 1;
  return a.line - b.line;
}
