import type { TimeSlice } from '../../time-slice.js';
import type { ReadBufferPool } from '../events/read-buffer-pool.js';
import type { EventLocation } from '../index/content/find-events.js';
import type { EventSegment } from '../index/segments/event-segment.js';
import type { RecordReader } from '../record/reader/record-reader.js';
import type { SegmentSpan } from './event-cursor.js';
import type { EventPrefilter, PrefilteredEvent } from './event-prefilter.js';
import { MAYBE, NO, type Verdict, YES } from './raw-predicates.js';
import { grownColumn, ReadRanges } from './read-ranges.js';
import { RowView } from './row-view.js';

/** When a portion is full. */
export interface BlockSize {
  readonly events: number;
  /** Of raw lines; the last one may lie beyond. */
  readonly bytes: number;
}

/** Rows that are added in one turn. */
const ROWS_PER_TURN = 512;
/** Rows between two looks at the clock. */
const ROWS_PER_CLOCK_CHECK = 16;

/**
 * Events that are looked at together, newest first: `add` until it is full, then `read`, `test` each block, and ask for each candidate. All of it in columns: an object for each
 * of very many events costs more than to search through its line. It is used again after `begin`, with its memory: new memory for each block would make the garbage collector
 * walk through all issues every few blocks.
 */
export class EventBlock {
  readonly #prefilter: EventPrefilter | undefined;
  readonly #ordinals: ReadonlySet<number> | undefined;
  readonly #row = new RowView();
  readonly #untested: PrefilteredEvent = { row: this.#row, tested: undefined };
  #slot = 0;
  readonly #tested: PrefilteredEvent = { row: this.#row, tested: (test) => this.#verdictOf(test) };
  #capacity = 0;
  #size: BlockSize = { events: 0, bytes: 0 };

  /** Events that were looked at, also those that are no candidates. */
  events = 0;
  bytes = 0;
  #last: { segment: EventSegment; index: number } | undefined;

  /** Events that the index does not rule out. */
  candidates = 0;
  #segments: EventSegment[] = [];
  #rowIndexes = new Int32Array(0);
  /** By candidate: events, and bytes, up to and with it. */
  #eventsThrough = new Int32Array(0);
  #bytesThrough = new Float64Array(0);

  /** Of the candidates, in their order. */
  readonly #readRanges: ReadRanges;
  /** By test and slot of the line. */
  #verdicts: Uint8Array[] = [];

  /** `ordinals`: rows of other issues are no events of the walk. */
  constructor(
    prefilter: EventPrefilter | undefined,
    ordinals: ReadonlySet<number> | undefined,
    buffers: ReadBufferPool,
  ) {
    this.#readRanges = new ReadRanges(buffers);
    this.#prefilter = prefilter;
    this.#ordinals = ordinals;
  }

  get ranges(): number {
    return this.#readRanges.ranges.length;
  }

  /** Forgets what it held. */
  begin(size: BlockSize): void {
    this.#size = size;
    this.events = 0;
    this.bytes = 0;
    this.candidates = 0;
    this.#last = undefined;
    this.#segments = [];
    this.#readRanges.begin();
  }

  get isFull(): boolean {
    return this.events >= this.#size.events || this.bytes >= this.#size.bytes;
  }

  /** Adds the newest rows of a span, as many as fit and can be added in this turn; answers where the rest ends. */
  add({ segment, from, end }: SegmentSpan, turn: Pick<TimeSlice, 'isOver'>): number {
    this.#reserve(this.candidates + ROWS_PER_TURN);
    const turnEnds = Math.max(from, end - ROWS_PER_TURN);
    const row = this.#row;
    row.segment = segment;
    let index = end;
    while (index > turnEnds && !this.isFull) {
      index -= 1;
      if (this.#ordinals?.has(segment.ordinalAt(index)) === false) continue;
      this.events += 1;
      this.bytes += segment.bytesAt(index) + 1;
      this.#last = { segment, index };
      row.index = index;
      if (this.#prefilter?.verdict(this.#untested) !== NO) this.#addCandidate(segment, index);
      // The first look at an issue may cost much more than the next one.
      if (index % ROWS_PER_CLOCK_CHECK === 0 && turn.isOver) break;
    }
    return index;
  }

  #addCandidate(segment: EventSegment, index: number): void {
    const candidate = this.candidates;
    this.candidates += 1;
    this.#segments.push(segment);
    this.#rowIndexes[candidate] = index;
    this.#eventsThrough[candidate] = this.events;
    this.#bytesThrough[candidate] = this.bytes;
    this.#readRanges.add(segment, index);
  }

  /** Reads the lines of all candidates. */
  async read(record: Pick<RecordReader, 'readAt'>): Promise<void> {
    await this.#readRanges.read(record);
  }

  /** Gives back its memory; nothing may be asked of it any more. */
  end(): void {
    this.#readRanges.end();
  }

  /** Asks the lines of one block what the sieve wants to know. */
  test(block: number): void {
    const range = this.#readRanges.ranges[block];
    if (range?.block === undefined) return;
    for (const [index, test] of (this.#prefilter?.tests ?? []).entries()) {
      const verdicts = this.#verdicts[index];
      if (verdicts !== undefined) test.evaluate(range.block, verdicts.subarray(range.base, range.base + range.lines));
    }
  }

  /** Whether a candidate may match, now that its line was tested. */
  mayMatch(candidate: number): boolean {
    if (this.#prefilter === undefined) return true;
    this.#slot = this.#readRanges.slotOf(candidate);
    this.#row.segment = this.#segments[candidate];
    this.#row.index = this.#rowIndexes[candidate] ?? 0;
    // The reader reports what cannot be read.
    return this.#readRanges.isMissing(this.#slot) || this.#prefilter.verdict(this.#tested) !== NO;
  }

  #verdictOf(test: number): Verdict {
    const verdict = this.#verdicts[test]?.[this.#slot];
    if (verdict === YES) return YES;
    return verdict === MAYBE ? MAYBE : NO;
  }

  locationOf(candidate: number): EventLocation | undefined {
    return locationIn(this.#segments[candidate], this.#rowIndexes[candidate] ?? 0);
  }

  /** The raw line of a candidate until the portion begins anew; undefined where the record does not hold it (any more). */
  lineOf(candidate: number): Buffer | undefined {
    return this.#readRanges.bytesOf(candidate);
  }

  /** The last event that was looked at, and how much came up to it: of all, or up to one candidate. */
  through(candidate?: number): {
    readonly last: EventLocation | undefined;
    readonly events: number;
    readonly bytes: number;
  } {
    if (candidate === undefined) {
      return { last: locationIn(this.#last?.segment, this.#last?.index ?? 0), events: this.events, bytes: this.bytes };
    }
    return {
      last: this.locationOf(candidate),
      events: this.#eventsThrough[candidate] ?? 0,
      bytes: this.#bytesThrough[candidate] ?? 0,
    };
  }

  #reserve(candidates: number): void {
    if (candidates <= this.#capacity) return;
    this.#capacity = 2 * candidates;
    this.#rowIndexes = grownColumn(new Int32Array(this.#capacity), this.#rowIndexes);
    this.#eventsThrough = grownColumn(new Int32Array(this.#capacity), this.#eventsThrough);
    this.#bytesThrough = grownColumn(new Float64Array(this.#capacity), this.#bytesThrough);
    this.#readRanges.reserve(this.#capacity);
    this.#verdicts = (this.#prefilter?.tests ?? []).map(() => new Uint8Array(this.#capacity));
  }
}

function locationIn(segment: EventSegment | undefined, index: number): EventLocation | undefined {
  const row = segment?.row(index);
  return segment && row && { segment: segment.number, rowIndex: index, row };
}
