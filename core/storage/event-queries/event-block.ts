import type { TimeSlice } from '../../time-slice.js';
import type { EventLocation } from '../index/content/find-events.js';
import type { EventSegment } from '../index/segments/event-segment.js';
import type { BufferPool } from '../record/io/buffer-pool.js';
import type { RecordReader } from '../record/reader/record-reader.js';
import type { SegmentSpan } from './event-cursor.js';
import type { EventPrefilter } from './event-prefilter.js';
import { MAYBE, NO, type Verdict, YES } from './raw-predicates.js';
import { grownColumn, ReadRanges } from './read-ranges.js';

export interface BlockSize {
  readonly events: number;
  readonly bytes: number;
}

/** Rows added in one time slice. */
const ROWS_PER_TURN = 512;
const ROWS_PER_CLOCK_CHECK = 16;

/**
 * Events that are scanned together, in columns: call `begin`, `add` until it is full, `read` and `test`. Buffers are
 * reused: allocating per block triggers full GCs over the whole index.
 */
export class EventBlock {
  readonly #prefilter: EventPrefilter | undefined;
  readonly #ordinals: ReadonlySet<number> | undefined;
  #slot = 0;
  #capacity = 0;
  #size: BlockSize = { events: 0, bytes: 0 };
  /** Part of `events` and `bytes`. */
  #skipped: BlockSize = { events: 0, bytes: 0 };

  events = 0;
  bytes = 0;
  #last: { segment: EventSegment; index: number } | undefined;

  /** Events that the index does not exclude. */
  candidates = 0;
  #segments: EventSegment[] = [];
  #rowIndexes = new Int32Array(0);
  /** By candidate: scanned events and bytes, itself included. */
  #eventsThrough = new Int32Array(0);
  #bytesThrough = new Float64Array(0);

  readonly #readRanges: ReadRanges;
  #verdicts: Uint8Array[] = [];

  /** `ordinals`: rows of other issues are skipped. */
  constructor(prefilter: EventPrefilter | undefined, ordinals: ReadonlySet<number> | undefined, buffers: BufferPool) {
    this.#readRanges = new ReadRanges(buffers);
    this.#prefilter = prefilter;
    this.#ordinals = ordinals;
  }

  get ranges(): number {
    return this.#readRanges.ranges.length;
  }

  begin(size: BlockSize): void {
    this.#size = size;
    this.#skipped = { events: 0, bytes: 0 };
    this.events = 0;
    this.bytes = 0;
    this.candidates = 0;
    this.#last = undefined;
    this.#segments = [];
    this.#readRanges.begin();
  }

  get isFull(): boolean {
    const { events, bytes } = this.#skipped;
    return this.events - events >= this.#size.events || this.bytes - bytes >= this.#size.bytes;
  }

  /** Adds the newest rows of a span, as many as fit into the block and the time slice; returns where the rest ends. */
  add({ segment, from, end, skipped }: SegmentSpan, turn: Pick<TimeSlice, 'isOver'>): number {
    this.#reserve(this.candidates + ROWS_PER_TURN);
    if (skipped !== undefined) this.#skip(skipped);
    const turnEnds = Math.max(from, end - ROWS_PER_TURN);
    let index = end;
    while (index > turnEnds && !this.isFull) {
      index -= 1;
      if (this.#ordinals?.has(segment.ordinalAt(index)) === false) continue;
      this.events += 1;
      this.bytes += segment.bytesAt(index) + 1;
      this.#last = { segment, index };
      if (this.#prefilter?.verdict(segment, index, undefined) !== NO) this.#addCandidate(segment, index);
      // The first check of an issue may be expensive.
      if (index % ROWS_PER_CLOCK_CHECK === 0 && turn.isOver) break;
    }
    return index;
  }

  #skip({ events, bytes }: BlockSize): void {
    this.#skipped = { events: this.#skipped.events + events, bytes: this.#skipped.bytes + bytes };
    this.events += events;
    this.bytes += bytes;
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

  async read(record: Pick<RecordReader, 'readAt'>): Promise<void> {
    await this.#readRanges.read(record);
  }

  /** Releases its buffers; call `begin` before it is used again. */
  end(): void {
    this.#readRanges.end();
  }

  /** Runs the prefilter's tests over the lines of one range. */
  test(block: number): void {
    const range = this.#readRanges.ranges[block];
    if (range?.block === undefined) return;
    for (const [index, test] of (this.#prefilter?.tests ?? []).entries()) {
      const verdicts = this.#verdicts[index];
      if (verdicts !== undefined) test.evaluate(range.block, verdicts.subarray(range.base, range.base + range.lines));
    }
  }

  /** Whether a candidate may match by its line; call `test` first. */
  mayMatch(candidate: number): boolean {
    const segment = this.#segments[candidate];
    if (this.#prefilter === undefined || segment === undefined) return true;
    this.#slot = this.#readRanges.slotOf(candidate);
    // Reading the event reports the missing line.
    if (this.#readRanges.isMissing(this.#slot)) return true;
    return this.#prefilter.verdict(segment, this.#rowIndexes[candidate] ?? 0, this.#verdictOf) !== NO;
  }

  readonly #verdictOf = (test: number): Verdict => {
    const verdict = this.#verdicts[test]?.[this.#slot];
    if (verdict === YES) return YES;
    return verdict === MAYBE ? MAYBE : NO;
  };

  locationOf(candidate: number): EventLocation | undefined {
    return locationIn(this.#segments[candidate], this.#rowIndexes[candidate] ?? 0);
  }

  /** The raw line of a candidate until `begin`; undefined if the record lacks it. */
  lineOf(candidate: number): Buffer | undefined {
    return this.#readRanges.bytesOf(candidate);
  }

  /** The last scanned event, and what was scanned up to it, or up to one candidate. */
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
