import { LRUCache } from 'lru-cache';
import { createEventIds } from '../../record/partitions/event-id.js';
import { type EventRow, EventSegment } from './event-segment.js';
import { type EventSegmentsOptions, type SealedExtent, SegmentFiles } from './segment-files.js';

/** Segments from disk that stay in memory, about 25 kB each. */
const MAX_CACHED = 64;

/** Rows after which a segment is sealed, at the next border between commits. */
const SEGMENT_ROWS = 512;

/** All events in order of arrival: sealed segments, on disk or on their way there, and the open one at the end. */
export class EventSegments {
  readonly #files: SegmentFiles;
  readonly #cache = new SegmentCache((number) => this.#files.read(number, () => number < this.#sealed.firstSegment));
  /** Sealed ones that must not leave memory: not on disk yet, or held. */
  readonly #kept = new Map<number, EventSegment>();
  #open: EventSegment;
  #sealed: SealedExtent;
  #onDisk: number;
  #heldFrom = Number.POSITIVE_INFINITY;
  #writing: Promise<void> | undefined;

  constructor(options: EventSegmentsOptions) {
    this.#files = new SegmentFiles(options);
    this.#sealed = options.sealed;
    this.#onDisk = options.sealed.segments;
    this.#open = new EventSegment(options.sealed.segments);
  }

  get sealed(): SealedExtent {
    return this.#sealed;
  }

  /** Events that can be found. */
  get events(): number {
    return this.arrived - this.#sealed.removedEvents;
  }

  /** Events that were ever taken, removed ones included. */
  get arrived(): number {
    return this.#sealed.events + this.#open.rows;
  }

  /** Sealed segments that are not on disk yet. */
  get unwritten(): number {
    return this.#sealed.segments - this.#onDisk;
  }

  /** The segment that still grows; its number is that of the next sealed one. */
  get open(): EventSegment {
    return this.#open;
  }

  /** Takes the next event into the open segment. */
  append(row: EventRow, previousSegment: number): void {
    this.#open.append(row, previousSegment);
  }

  /** Seals the open segment if it is full and the next commit begins. */
  sealIfFull(nextReceivedAtMicros: number): void {
    if (this.#open.rows >= SEGMENT_ROWS && nextReceivedAtMicros > this.#open.lastReceivedAtMicros) this.seal();
  }

  /** Seals the open segment unless it is empty; between two commits only. */
  seal(): void {
    const last = this.#open.row(this.#open.rows - 1);
    if (last === undefined) return;
    this.#kept.set(this.#open.number, this.#open);
    this.#files.add(this.#open.firstReceivedAtMicros);
    this.#sealed = {
      ...this.#sealed,
      segments: this.#sealed.segments + 1,
      events: this.arrived,
      cursorMicros: last.receivedAtMicros,
      lastEventId: createEventIds(last.partition, last.receivedAtMicros)(last.line),
    };
    this.#open = new EventSegment(this.#sealed.segments);
  }

  /** The segment of that number, from memory or from disk; rejects with `INDEX_UNUSABLE`. */
  get(number: number): Promise<EventSegment> {
    const inMemory = this.#inMemory(number);
    return inMemory === undefined ? this.#cache.get(number) : Promise.resolve(inMemory);
  }

  /** Number of the segment that holds what was received at that instant, if anything was; -1 when all were received later. */
  numberAt(receivedAtMicros: number): number {
    if (this.#open.rows > 0 && this.#open.firstReceivedAtMicros <= receivedAtMicros) return this.#open.number;
    return this.#files.numberAt(receivedAtMicros);
  }

  /** Says that everything received before an instant was removed: so many events. Segments wholly before it are not read any more. */
  forgetBefore(beforeMicros: number, removedEvents: number): void {
    this.#sealed = {
      ...this.#sealed,
      beforeMicros,
      removedEvents: this.#sealed.removedEvents + removedEvents,
      firstSegment: Math.max(this.#sealed.firstSegment, this.numberAt(beforeMicros)),
    };
  }

  /** Removes from the disk the segments below a number, which no manifest names any more; what fails is tried again by the next call. */
  async dropBelow(firstSegment: number): Promise<void> {
    await this.#files.dropBelow(firstSegment);
  }

  /**
   * Numbers of the segments that hold an issue's events, newest first, from `newest` down to the first below `end`, which is left to stand for all
   * below it. Segments from `end` on must be held.
   */
  chain(ordinal: number, newest: number, end: number): number[] {
    const numbers: number[] = [];
    for (let number = newest; number >= 0; ) {
      numbers.push(number);
      if (number < end) break;
      number = this.#inMemory(number)?.previous.get(ordinal) ?? -1;
    }
    return numbers;
  }

  /** Keeps segments from that number on in memory, also when they are written, until `release`. */
  hold(from: number): void {
    this.#heldFrom = from;
  }

  release(): void {
    this.#heldFrom = Number.POSITIVE_INFINITY;
    for (const number of this.#kept.keys()) this.#letGo(number);
  }

  /** Writes sealed segments, oldest first, until those numbered below `end` are on disk. Calls may overlap. */
  async writeUpTo(end: number): Promise<void> {
    while (this.#onDisk < end) {
      this.#writing ??= this.#writeNext().finally(() => {
        this.#writing = undefined;
      });
      await this.#writing;
    }
  }

  async #writeNext(): Promise<void> {
    const segment = this.#kept.get(this.#onDisk);
    if (segment === undefined) throw new Error(`Segment ${this.#onDisk} left memory before it was written.`);
    await this.#files.write(segment);
    this.#onDisk += 1;
    this.#letGo(segment.number);
  }

  /** Moves a segment to those that may be forgotten, if it is on disk and nobody holds it. */
  #letGo(number: number): void {
    const segment = this.#kept.get(number);
    if (segment === undefined || number >= this.#onDisk || number >= this.#heldFrom) return;
    this.#kept.delete(number);
    this.#cache.put(segment);
  }

  #inMemory(number: number): EventSegment | undefined {
    return number === this.#open.number ? this.#open : this.#kept.get(number);
  }
}

/** The segments that were looked at last; the one unused for longest is forgotten first. Readers of one segment share one read. */
class SegmentCache {
  readonly #read: (number: number) => Promise<EventSegment>;
  readonly #cached = new LRUCache<number, Promise<EventSegment>>({ max: MAX_CACHED });

  constructor(read: (number: number) => Promise<EventSegment>) {
    this.#read = read;
  }

  /** A segment from memory, else as it is read; a failed read is not remembered. */
  get(number: number): Promise<EventSegment> {
    const cached = this.#cached.get(number);
    if (cached !== undefined) return cached;
    const reading = this.#read(number);
    this.#cached.set(number, reading);
    reading.catch(() => this.#cached.delete(number));
    return reading;
  }

  /** Takes a segment that its writer no longer keeps. */
  put(segment: EventSegment): void {
    this.#cached.set(segment.number, Promise.resolve(segment));
  }
}
