import { LRUCache } from 'lru-cache';
import { firstNotBefore } from '../../../binary-search.js';
import type { EventId } from '../../../event/ids.js';
import { type StoreFiles, unlinkIfExists } from '../../files/store-files.js';
import { createEventIds } from '../../record/partitions/event-id.js';
import { readDocument } from '../documents/checked-document.js';
import { DocumentBatch } from '../documents/document-batch.js';
import { indexUnusable } from '../documents/index-fault.js';
import { type SegmentFile, segmentPath } from '../documents/index-folder.js';
import { type EventRow, EventSegment, REPORT_WINDOW_MICROS } from './event-segment.js';
import { addReleases, countReleaseEvent, type ReleaseCount, type ReleaseEvent } from './release-counts.js';
import { decodeSegment, encodeSegment } from './segment-document.js';

/** The sealed segments that a manifest covers once they are on disk. */
export interface SealedExtent {
  /** Segments numbered below this are sealed. */
  readonly segments: number;
  readonly events: number;
  /** `received_at` of the last event, 0 if none. */
  readonly cursorMicros: number;
  readonly lastEventId: EventId | null;
  /** Segments numbered below this hold only removed events and are not read. */
  readonly firstSegment: number;
  /** Events that retention removed, included in `events`. */
  readonly removedEvents: number;
  /** Rows received before this instant are removed; 0 if none. */
  readonly beforeMicros: number;
  /** The one with the latest event last. */
  readonly releases: readonly ReleaseCount[];
}

interface EventSegmentsOptions {
  files: StoreFiles;
  /** Folder of the generation. */
  folder: string;
  sealed: SealedExtent;
  /** Each sealed segment from `firstSegment` on. */
  stored: readonly SegmentFile[];
}

/** Segments from disk in the cache, about 25 kB each. */
const MAX_CACHED = 64;

/** Segments whose names are made durable together. */
const MAX_WRITTEN_TOGETHER = 32;

/** Segments that are searched for reports of one: those of seconds at 1,000 failures a second. */
const MAX_REPORTING = 16;

/** A segment is sealed at the first commit boundary after this many rows. */
const SEGMENT_ROWS = 512;

/** All events in order of arrival: sealed segments, on disk or to be written, and the open one. */
export class EventSegments {
  readonly #files: StoreFiles;
  readonly #folder: string;
  readonly #cache = new LRUCache<number, Promise<EventSegment>>({
    max: MAX_CACHED,
    memoMethod: (number) => this.#read(number),
  });
  /** Of each sealed segment from `#firstStored` on. */
  readonly #firstReceivedAt: number[];
  /** As of `EventSegment`, likewise. */
  readonly #reachesBackTo: number[];
  #firstStored: number;
  /** Sealed segments not yet on disk, or held. */
  readonly #pinned = new Map<number, EventSegment>();
  /** The segment that still grows; its number is that of the next sealed one. */
  open: EventSegment;
  sealed: SealedExtent;
  /** Of the open segment, by name. */
  readonly #openReleases = new Map<string, ReleaseCount>();
  #onDisk: number;
  #heldFrom = Number.POSITIVE_INFINITY;
  #writing: Promise<void> | undefined;

  constructor({ files, folder, sealed, stored }: EventSegmentsOptions) {
    this.#files = files;
    this.#folder = folder;
    this.#firstReceivedAt = stored.map(({ firstReceivedAtMicros }) => firstReceivedAtMicros);
    this.#reachesBackTo = stored.map(({ reachesBackTo }) => reachesBackTo);
    this.#firstStored = sealed.firstSegment;
    this.sealed = sealed;
    this.#onDisk = sealed.segments;
    this.open = new EventSegment(sealed.segments);
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

  append(row: EventRow, previousSegment: number, event: ReleaseEvent): void {
    this.open.append(row, previousSegment);
    countReleaseEvent(this.#openReleases, event, row, this.sealed.releases);
  }

  get releases(): readonly ReleaseCount[] {
    return addReleases(this.sealed.releases, this.#openReleases.values());
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
    this.#firstReceivedAt.push(this.open.firstReceivedAtMicros);
    this.#reachesBackTo.push(this.open.reachesBackTo);
    this.sealed = {
      ...this.sealed,
      segments: this.sealed.segments + 1,
      events: this.arrived,
      cursorMicros: last.receivedAtMicros,
      lastEventId: createEventIds(last.partition, last.receivedAtMicros)(last.line),
      releases: this.releases,
    };
    this.#openReleases.clear();
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
    const starts = this.#firstReceivedAt;
    const later = firstNotBefore(starts.length, (index) => (starts[index] ?? 0) <= receivedAtMicros);
    return later === 0 ? -1 : this.#firstStored + later - 1;
  }

  /** Numbers of the first segments with reports of events of a segment or of earlier ones, in order; bounded, because senders make them. */
  reportingOn({ number: first, lastReceivedAtMicros }: EventSegment): number[] {
    const numbers: number[] = [];
    for (let number = first; number <= this.open.number && numbers.length < MAX_REPORTING; number += 1) {
      const index = number - this.#firstStored;
      const isOpen = number === this.open.number;
      const begins = isOpen ? this.open.firstReceivedAtMicros : (this.#firstReceivedAt[index] ?? 0);
      if (begins > lastReceivedAtMicros + REPORT_WINDOW_MICROS) break;
      const reachesBackTo = isOpen ? this.open.reachesBackTo : this.#reachesBackTo[index];
      if (reachesBackTo !== undefined && reachesBackTo <= lastReceivedAtMicros) numbers.push(number);
    }
    return numbers;
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
    for (; this.#firstStored < firstSegment; this.#firstStored += 1) {
      await unlinkIfExists(this.#files, this.#pathOf(this.#firstStored));
      this.#firstReceivedAt.shift();
      this.#reachesBackTo.shift();
    }
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

  /** Writes sealed segments, oldest first, until those below `end` are on disk. Calls may overlap. After an abort it rejects with the reason, and writes no more. */
  async writeUpTo(end: number, signal?: AbortSignal): Promise<void> {
    while (this.#onDisk < end) {
      signal?.throwIfAborted();
      this.#writing ??= this.#writeNext().finally(() => {
        this.#writing = undefined;
      });
      await this.#writing;
    }
  }

  async #writeNext(): Promise<void> {
    const first = this.#onDisk;
    const end = Math.min(first + MAX_WRITTEN_TOGETHER, this.sealed.segments);
    await using batch = new DocumentBatch(this.#files);
    for (let number = first; number < end; number += 1) {
      const segment = this.#pinned.get(number);
      if (segment === undefined) throw new Error(`Segment ${number} left memory before it was written.`);
      await batch.add(this.#pathOf(number), 'events', () => encodeSegment(segment));
    }
    await batch.end();
    this.#onDisk = end;
    for (let number = first; number < end; number += 1) this.#unpin(number);
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
    const segment = this.#load(number);
    segment.catch(() => this.#cache.delete(number));
    return segment;
  }

  async #load(number: number): Promise<EventSegment> {
    const path = this.#pathOf(number);
    const data = await readDocument(this.#files, path, 'events');
    // Removed while a reader walked to it.
    if (number < this.sealed.firstSegment) return new EventSegment(number);
    if (data === undefined) throw indexUnusable(path, 'is missing');
    const segment = decodeSegment(path, data);
    if (segment.number !== number) throw indexUnusable(path, 'holds another segment');
    return segment;
  }

  #pathOf(number: number): string {
    const index = number - this.#firstStored;
    return segmentPath(this.#folder, {
      number,
      firstReceivedAtMicros: this.#firstReceivedAt[index] ?? 0,
      reachesBackTo: this.#reachesBackTo[index] ?? Number.POSITIVE_INFINITY,
    });
  }

  #inMemory(number: number): EventSegment | undefined {
    return number === this.open.number ? this.open : this.#pinned.get(number);
  }
}
