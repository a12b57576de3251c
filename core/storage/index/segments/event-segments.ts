import { LRUCache } from 'lru-cache';
import { createEventIds } from '../../record/partitions/event-id.js';
import { type EventRow, EventSegment } from './event-segment.js';
import { type EventSegmentsOptions, type SealedExtent, SegmentFiles } from './segment-files.js';

/** Segments from disk in the cache, about 25 kB each. */
const MAX_CACHED = 64;

/** A segment is sealed at the first commit boundary after this many rows. */
const SEGMENT_ROWS = 512;

/** All events in order of arrival: sealed segments, on disk or to be written, and the open one. */
export class EventSegments {
  readonly #files: SegmentFiles;
  readonly #cache = new LRUCache<number, Promise<EventSegment>>({
    max: MAX_CACHED,
    memoMethod: (number) => this.#read(number),
  });
  /** Sealed segments not yet on disk, or held. */
  readonly #pinned = new Map<number, EventSegment>();
  /** The segment that still grows; its number is that of the next sealed one. */
  open: EventSegment;
  sealed: SealedExtent;
  #onDisk: number;
  #heldFrom = Number.POSITIVE_INFINITY;
  #writing: Promise<void> | undefined;

  constructor(options: EventSegmentsOptions) {
    this.#files = new SegmentFiles(options);
    this.sealed = options.sealed;
    this.#onDisk = options.sealed.segments;
    this.open = new EventSegment(options.sealed.segments);
  }

  /** Without removed ones. */
  get events(): number {
    return this.arrived - this.sealed.removedEvents;
  }

  /** All events ever appended, removed ones included. */
  get arrived(): number {
    return this.sealed.events + this.open.rows;
  }

  /** Sealed segments not yet on disk. */
  get unwritten(): number {
    return this.sealed.segments - this.#onDisk;
  }

  append(row: EventRow, previousSegment: number): void {
    this.open.append(row, previousSegment);
  }

  /** Call it before the rows of a commit are appended. */
  sealIfFull(nextReceivedAtMicros: number): void {
    if (this.open.rows >= SEGMENT_ROWS && nextReceivedAtMicros > this.open.lastReceivedAtMicros) this.seal();
  }

  /** Seals the open segment unless it is empty; call it between two commits only. */
  seal(): void {
    const last = this.open.row(this.open.rows - 1);
    if (last === undefined) return;
    this.#pinned.set(this.open.number, this.open);
    this.#files.add(this.open.firstReceivedAtMicros);
    this.sealed = {
      ...this.sealed,
      segments: this.sealed.segments + 1,
      events: this.arrived,
      cursorMicros: last.receivedAtMicros,
      lastEventId: createEventIds(last.partition, last.receivedAtMicros)(last.line),
    };
    this.open = new EventSegment(this.sealed.segments);
  }

  /** Returns a segment from memory or disk; rejects with `INDEX_UNUSABLE`. */
  get(number: number): Promise<EventSegment> {
    const inMemory = this.#inMemory(number);
    return inMemory === undefined ? this.#cache.memo(number) : Promise.resolve(inMemory);
  }

  /** Number of the segment that holds events received at an instant, if any; -1 if all were received later. */
  numberAt(receivedAtMicros: number): number {
    if (this.open.rows > 0 && this.open.firstReceivedAtMicros <= receivedAtMicros) return this.open.number;
    return this.#files.numberAt(receivedAtMicros);
  }

  /** Marks all events before `beforeMicros` as removed; `removedEvents` is their number. Segments wholly before it are not read again. */
  forgetBefore(beforeMicros: number, removedEvents: number): void {
    this.sealed = {
      ...this.sealed,
      beforeMicros,
      removedEvents: this.sealed.removedEvents + removedEvents,
      firstSegment: Math.max(this.sealed.firstSegment, this.numberAt(beforeMicros)),
    };
  }

  /** Deletes segments below a number that no manifest names; a failure is retried by the next call. */
  async dropBelow(firstSegment: number): Promise<void> {
    await this.#files.dropBelow(firstSegment);
  }

  /** Numbers of the segments with events of an issue, from `newest` down to the first below `end`. Segments from `end` on must be held. */
  chain(ordinal: number, newest: number, end: number): number[] {
    const numbers: number[] = [];
    for (let number = newest; number >= 0; ) {
      numbers.push(number);
      if (number < end) break;
      number = this.#inMemory(number)?.previous.get(ordinal) ?? -1;
    }
    return numbers;
  }

  /** Keeps segments from a number on in memory, written or not, until `release`. */
  hold(from: number): void {
    this.#heldFrom = from;
  }

  release(): void {
    this.#heldFrom = Number.POSITIVE_INFINITY;
    for (const number of this.#pinned.keys()) this.#unpin(number);
  }

  /** Writes sealed segments below `end`, oldest first. Calls may overlap. */
  async writeUpTo(end: number): Promise<void> {
    while (this.#onDisk < end) {
      this.#writing ??= this.#writeNext().finally(() => {
        this.#writing = undefined;
      });
      await this.#writing;
    }
  }

  async #writeNext(): Promise<void> {
    const segment = this.#pinned.get(this.#onDisk);
    if (segment === undefined) throw new Error(`Segment ${this.#onDisk} left memory before it was written.`);
    await this.#files.write(segment);
    this.#onDisk += 1;
    this.#unpin(segment.number);
  }

  /** Moves a segment to the cache if it is on disk and not held. */
  #unpin(number: number): void {
    const segment = this.#pinned.get(number);
    if (segment === undefined || number >= this.#onDisk || number >= this.#heldFrom) return;
    this.#pinned.delete(number);
    this.#cache.set(segment.number, Promise.resolve(segment));
  }

  /** Concurrent readers share one read; a failed one is not cached. */
  #read(number: number): Promise<EventSegment> {
    const segment = this.#files.read(number, () => number < this.sealed.firstSegment);
    segment.catch(() => this.#cache.delete(number));
    return segment;
  }

  #inMemory(number: number): EventSegment | undefined {
    return number === this.open.number ? this.open : this.#pinned.get(number);
  }
}
