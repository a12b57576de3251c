import type { TimeSlice } from '../../time-slice.js';
import type { ReadMemory } from '../events/read-buffers.js';
import type { EventPlace } from '../index/content/find-events.js';
import type { EventSegment } from '../index/segments/event-segment.js';
import type { RecordReader } from '../record/reader/record-reader.js';
import type { SegmentSpan } from './event-cursor.js';
import type { EventPrefilter, SievedEvent } from './event-prefilter.js';
import { MAYBE, NO, type Verdict, YES } from './raw-predicates.js';
import { grownColumn, ReadRanges } from './read-ranges.js';
import { RowView } from './row-view.js';

/** When a portion is full. */
export interface PortionSize {
  readonly events: number;
  /** Of raw lines; the last one may lie beyond. */
  readonly bytes: number;
}

/** Rows that are added in one turn. */
const ROWS_PER_TURN = 512;
/** Rows between two looks at the clock. */
const ROWS_PER_LOOK = 16;

/**
 * Events that are looked at together, newest first: `add` until it is full, then `read`, `test` each block, and ask for each candidate. All of it in columns: an object for each
 * of very many events costs more than to search through its line. It is used again after `begin`, with its memory: new memory for each block would make the garbage collector
 * walk through all issues every few blocks.
 */
export class EventBlock {
  readonly #sieve: EventPrefilter | undefined;
  readonly #ordinals: ReadonlySet<number> | undefined;
  readonly #row = new RowView();
  readonly #untested: SievedEvent = { row: this.#row, tested: undefined };
  #slot = 0;
  readonly #tested: SievedEvent = { row: this.#row, tested: (test) => this.#verdictOf(test) };
  #capacity = 0;
  #size: PortionSize = { events: 0, bytes: 0 };

  /** Events that were looked at, also those that are no candidates. */
  events = 0;
  bytes = 0;
  #last: { segment: EventSegment; place: number } | undefined;

  /** Events that the index does not rule out. */
  candidates = 0;
  #segments: EventSegment[] = [];
  #places = new Int32Array(0);
  /** By candidate: events, and bytes, up to and with it. */
  #eventsThrough = new Int32Array(0);
  #bytesThrough = new Float64Array(0);

  /** Of the candidates, in their order. */
  readonly #lines: ReadRanges;
  /** By test and slot of the line. */
  #verdicts: Uint8Array[] = [];

  /** `ordinals`: rows of other issues are no events of the walk. */
  constructor(sieve: EventPrefilter | undefined, ordinals: ReadonlySet<number> | undefined, memories: ReadMemory) {
    this.#lines = new ReadRanges(memories);
    this.#sieve = sieve;
    this.#ordinals = ordinals;
  }

  get blocks(): number {
    return this.#lines.runs.length;
  }

  /** Forgets what it held. */
  begin(size: PortionSize): void {
    this.#size = size;
    this.events = 0;
    this.bytes = 0;
    this.candidates = 0;
    this.#last = undefined;
    this.#segments = [];
    this.#lines.begin();
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
    let place = end;
    while (place > turnEnds && !this.isFull) {
      place -= 1;
      if (this.#ordinals?.has(segment.ordinalAt(place)) === false) continue;
      this.events += 1;
      this.bytes += segment.bytesAt(place) + 1;
      this.#last = { segment, place };
      row.place = place;
      if (this.#sieve?.verdict(this.#untested) !== NO) this.#addCandidate(segment, place);
      // The first look at an issue may cost much more than the next one.
      if (place % ROWS_PER_LOOK === 0 && turn.isOver) break;
    }
    return place;
  }

  #addCandidate(segment: EventSegment, place: number): void {
    const candidate = this.candidates;
    this.candidates += 1;
    this.#segments.push(segment);
    this.#places[candidate] = place;
    this.#eventsThrough[candidate] = this.events;
    this.#bytesThrough[candidate] = this.bytes;
    this.#lines.add(segment, place);
  }

  /** Reads the lines of all candidates. */
  async read(record: Pick<RecordReader, 'readAt'>): Promise<void> {
    await this.#lines.read(record);
  }

  /** Gives back its memory; nothing may be asked of it any more. */
  end(): void {
    this.#lines.end();
  }

  /** Asks the lines of one block what the sieve wants to know. */
  test(block: number): void {
    const run = this.#lines.runs[block];
    if (run?.block === undefined) return;
    for (const [place, test] of (this.#sieve?.tests ?? []).entries()) {
      const verdicts = this.#verdicts[place];
      if (verdicts !== undefined) test.judge(run.block, verdicts.subarray(run.base, run.base + run.lines));
    }
  }

  /** Whether a candidate may match, now that its line was tested. */
  mayMatch(candidate: number): boolean {
    if (this.#sieve === undefined) return true;
    this.#slot = this.#lines.slotOf(candidate);
    this.#row.segment = this.#segments[candidate];
    this.#row.place = this.#places[candidate] ?? 0;
    // The reader reports what cannot be read.
    return this.#lines.isMissing(this.#slot) || this.#sieve.verdict(this.#tested) !== NO;
  }

  #verdictOf(test: number): Verdict {
    const verdict = this.#verdicts[test]?.[this.#slot];
    if (verdict === YES) return YES;
    return verdict === MAYBE ? MAYBE : NO;
  }

  placeOf(candidate: number): EventPlace | undefined {
    return placeIn(this.#segments[candidate], this.#places[candidate] ?? 0);
  }

  /** The raw line of a candidate until the portion begins anew; undefined where the record does not hold it (any more). */
  lineOf(candidate: number): Buffer | undefined {
    return this.#lines.bytesOf(candidate);
  }

  /** The last event that was looked at, and how much came up to it: of all, or up to one candidate. */
  through(candidate?: number): {
    readonly last: EventPlace | undefined;
    readonly events: number;
    readonly bytes: number;
  } {
    if (candidate === undefined) {
      return { last: placeIn(this.#last?.segment, this.#last?.place ?? 0), events: this.events, bytes: this.bytes };
    }
    return {
      last: this.placeOf(candidate),
      events: this.#eventsThrough[candidate] ?? 0,
      bytes: this.#bytesThrough[candidate] ?? 0,
    };
  }

  #reserve(candidates: number): void {
    if (candidates <= this.#capacity) return;
    this.#capacity = 2 * candidates;
    this.#places = grownColumn(new Int32Array(this.#capacity), this.#places);
    this.#eventsThrough = grownColumn(new Int32Array(this.#capacity), this.#eventsThrough);
    this.#bytesThrough = grownColumn(new Float64Array(this.#capacity), this.#bytesThrough);
    this.#lines.reserve(this.#capacity);
    this.#verdicts = (this.#sieve?.tests ?? []).map(() => new Uint8Array(this.#capacity));
  }
}

function placeIn(segment: EventSegment | undefined, place: number): EventPlace | undefined {
  const row = segment?.row(place);
  return segment && row && { segment: segment.number, place, row };
}
