import { dirname } from 'node:path';
import type { EventId } from '../../event/ids.js';
import { makeFolderDurably } from '../files/make-folder-durably.js';
import type { StoreFiles } from '../files/store-files.js';
import { unlinkIfThere } from '../files/unlink-if-there.js';
import { createEventIds } from '../record/event-id.js';
import { readDocument, writeDocument } from './document-adapter.js';
import { type EventRow, EventSegment } from './event-segment.js';
import { indexUnusable } from './index-fault.js';
import { segmentPath } from './index-folder.js';
import { SegmentCache } from './segment-cache.js';
import { decodeSegment, encodeSegment } from './segment-document.js';

/** Sealed segments and the events in them: what a manifest can promise once they are on disk. */
export interface SealedExtent {
  /** Segments numbered below this are sealed. */
  readonly segments: number;
  readonly events: number;
  /** `received_at` of the last of these events, 0 when there is none. */
  readonly cursorMicros: number;
  readonly lastEventId: EventId | null;
  /** Segments numbered below this hold nothing that retention did not remove, and are not read any more. */
  readonly firstSegment: number;
  /** How many of these events retention removed. */
  readonly removedEvents: number;
  /** Rows received before this instant were removed, 0 when none were. */
  readonly beforeMicros: number;
}

/** What can be promised before the first event. */
export const NOTHING_SEALED: SealedExtent = {
  segments: 0,
  events: 0,
  cursorMicros: 0,
  lastEventId: null,
  firstSegment: 0,
  removedEvents: 0,
  beforeMicros: 0,
};

/** Where segments lie and which are already there. */
export interface EventSegmentsOptions {
  files: StoreFiles;
  /** Folder of the generation. */
  folder: string;
  sealed: SealedExtent;
  /** `received_at` of the first event of each sealed segment from `firstSegment` on. */
  firstReceivedAtMicros: readonly number[];
}

/** Rows after which a segment is sealed, at the next border between commits. */
const SEGMENT_ROWS = 512;

/** All events in order of arrival: sealed segments, on disk or on their way there, and the open one at the end. */
export class EventSegments {
  readonly #files: StoreFiles;
  readonly #folder: string;
  /** Of sealed segments that may be on disk, the first of them is `#firstStored`. */
  readonly #firstReceivedAt: number[];
  #firstStored: number;
  readonly #cache = new SegmentCache((number) => this.#read(number));
  /** Sealed ones that must not leave memory: not on disk yet, or held. */
  readonly #kept = new Map<number, EventSegment>();
  #open: EventSegment;
  #sealed: SealedExtent;
  #onDisk: number;
  #heldFrom = Number.POSITIVE_INFINITY;
  #writing: Promise<void> | undefined;

  constructor(options: EventSegmentsOptions) {
    this.#files = options.files;
    this.#folder = options.folder;
    this.#firstReceivedAt = [...options.firstReceivedAtMicros];
    this.#firstStored = options.sealed.firstSegment;
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
    this.#firstReceivedAt.push(this.#open.firstReceivedAtMicros);
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
    let low = 0;
    let high = this.#firstReceivedAt.length;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((this.#firstReceivedAt[middle] ?? 0) <= receivedAtMicros) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? -1 : this.#firstStored + low - 1;
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
    for (; this.#firstStored < firstSegment; this.#firstStored += 1) {
      await unlinkIfThere(this.#files, this.#pathOf(this.#firstStored));
      this.#firstReceivedAt.shift();
    }
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
    const path = this.#pathOf(segment.number);
    await makeFolderDurably(this.#files, dirname(path));
    await writeDocument(this.#files, path, 'events', encodeSegment(segment));
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

  async #read(number: number): Promise<EventSegment> {
    const path = this.#pathOf(number);
    const data = await readDocument(this.#files, path, 'events');
    // Removed while somebody who walked an issue's events was on the way to it.
    if (number < this.#sealed.firstSegment) return new EventSegment(number);
    if (data === undefined) throw indexUnusable(path, 'is missing');
    const segment = decodeSegment(path, data);
    if (segment.number !== number) throw indexUnusable(path, 'holds another segment');
    return segment;
  }

  #pathOf(number: number): string {
    const firstReceivedAtMicros = this.#firstReceivedAt[number - this.#firstStored] ?? 0;
    return segmentPath(this.#folder, { number, firstReceivedAtMicros });
  }
}
