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

export type IssuePairs = ReturnType<typeof createIssuePairs>;

/** Pairs the issues of two indexes of one record by shared events, in time slices. */
export function createIssuePairs(before: IndexContent, after: IndexContent) {
  const [earlier, later] = [new RowWalk(before), new RowWalk(after)];
  const pairs = new Map<number, IssuePair>();
  let events = 0;

  function addPair(one: EventRow, other: EventRow): void {
    const key = one.ordinal * ORDINALS + other.ordinal;
    const known = pairs.get(key);
    events += 1;
    if (known === undefined) {
      pairs.set(key, { before: one.ordinal, after: other.ordinal, events: other.weight, samples: [other] });
      return;
    }
    known.events += other.weight;
    if (known.samples.length < MAX_SAMPLES) known.samples.push(other);
  }

  return {
    /** Stored events in both indexes. */
    get events() {
      return events;
    },
    all: () => pairs.values(),
    /** Adds rows of the later index, those of the open segment only `toTheEnd`. */
    async add(toTheEnd: boolean, signal: AbortSignal): Promise<void> {
      const slice = beginTimeSlice();
      for (let looked = 1; ; looked += 1) {
        if (looked % ROWS_PER_CHECK === 0 && slice.isOver) {
          await slice.next();
          signal.throwIfAborted();
        }
        const other = await later.peek(toTheEnd);
        const one = other && (await earlier.peek(true));
        if (one === undefined || other === undefined) return;
        const order = orderOf(one, other);
        if (order === 0) addPair(one, other);
        if (order <= 0) earlier.advance();
        if (order >= 0) later.advance();
      }
    },
  };
}

function orderOf(a: EventRow, b: EventRow): number {
  if (a.receivedAtMicros !== b.receivedAtMicros) return a.receivedAtMicros - b.receivedAtMicros;
  if (a.partition.folder !== b.partition.folder) return a.partition.folder < b.partition.folder ? -1 : 1;
  return a.line - b.line;
}
