import type { EventSegment } from './event-segment.js';

/** Segments from disk that stay in memory, about 25 kB each. */
const MAX_CACHED = 64;

/** The segments that were looked at last; the one unused for longest is forgotten first. Readers of one segment share one read. */
export class SegmentCache {
  readonly #read: (number: number) => Promise<EventSegment>;
  readonly #cached = new Map<number, Promise<EventSegment>>();

  constructor(read: (number: number) => Promise<EventSegment>) {
    this.#read = read;
  }

  /** A segment from memory, else as it is read; a failed read is not remembered. */
  get(number: number): Promise<EventSegment> {
    const cached = this.#cached.get(number);
    if (cached !== undefined) {
      this.#keep(number, cached);
      return cached;
    }
    const reading = this.#read(number);
    this.#keep(number, reading);
    reading.catch(() => this.#cached.delete(number));
    return reading;
  }

  /** Takes a segment that its writer no longer keeps. */
  put(segment: EventSegment): void {
    this.#keep(segment.number, Promise.resolve(segment));
  }

  #keep(number: number, segment: Promise<EventSegment>): void {
    this.#cached.delete(number);
    this.#cached.set(number, segment);
    const oldest = this.#cached.keys().next();
    if (this.#cached.size > MAX_CACHED && oldest.done !== true) this.#cached.delete(oldest.value);
  }
}
