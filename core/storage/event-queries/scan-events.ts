import type { ScanExtent } from '../../../generated/reader-answers.js';
import { beginTimeSlice } from '../../time-slice.js';
import type { EventLocation } from '../index/content/find-events.js';
import type { ReadEvent } from '../index/read-event.js';
import { keyOfLine } from '../index/segments/event-segment.js';
import { EventBlock, type ScannedExtent } from './event-block.js';
import type { EventWalk, SegmentSpan } from './event-cursor.js';
import type { EventSelector } from './event-query.js';

interface ScanBounds {
  readonly limit: number;
  readonly maxEvents: number;
  /** At least one block is scanned. */
  readonly budgetMs: number;
  /** Whether an earlier page scanned events with few matches, so that large blocks pay off at once. Default false. */
  readonly isContinued?: boolean;
}

interface ScannedEvents {
  readonly events: readonly ReadEvent[];
  /** The last scanned event; undefined if there was none. */
  readonly last: EventLocation | undefined;
  readonly scanned: ScannedExtent;
  /** Whether the walk has no further events. */
  readonly isEnd: boolean;
}

/** A span with the occurrences of several reports, by row index. */
interface SpanOfReports extends SegmentSpan {
  readonly reports: ReadonlyMap<number, readonly EventLocation[]>;
}

const NO_REPORTS: readonly EventLocation[] = [];

/** Blocks double in size: first matches come fast, and long scans read large blocks. */
const FIRST_BLOCK: ScanExtent = { events: 128, bytes: 256 * 1024 };
const CONTINUED_BLOCK: ScanExtent = { events: 2048, bytes: 2 * 1024 * 1024 };
const LARGEST_BLOCK: ScanExtent = { events: 2048, bytes: 4 * 1024 * 1024 };
/** So that blocks of somewhat different sizes share a buffer. */
const MIN_BUFFER_BYTES = 5 * 1024 * 1024;

/** Selects events from a walk, in time slices. */
export async function scanEvents(walk: EventWalk, selector: EventSelector, bounds: ScanBounds): Promise<ScannedEvents> {
  return await new EventScan(walk, selector, bounds).run();
}

class EventScan {
  readonly #walk: EventWalk;
  readonly #selector: EventSelector;
  readonly #bounds: ScanBounds;
  readonly #deadlineMs: number;
  readonly #slice = beginTimeSlice();
  #blockSize: ScanExtent;
  /** Events of the walk that no block has yet. */
  #rest: SpanOfReports | undefined;
  readonly #events: ReadEvent[] = [];
  #buffer: Buffer = Buffer.alloc(0);
  #scanned: ScannedExtent = { events: 0, bytes: 0, skipped: 0 };
  #last: EventLocation | undefined;

  constructor(walk: EventWalk, selector: EventSelector, bounds: ScanBounds) {
    this.#walk = walk;
    this.#selector = selector;
    this.#bounds = bounds;
    this.#deadlineMs = performance.now() + bounds.budgetMs;
    this.#blockSize = bounds.isContinued === true ? CONTINUED_BLOCK : FIRST_BLOCK;
    // If everything matches, one block suffices.
    if (selector.matches === undefined) this.#blockSize = { events: bounds.limit, bytes: LARGEST_BLOCK.bytes };
  }

  async run(): Promise<ScannedEvents> {
    let isEnd = false;
    try {
      do {
        const block = await this.#nextBlock();
        isEnd = block.scanned.events === 0 && this.#scanned.events < this.#bounds.maxEvents;
        await block.read((bytes) => this.#bufferOf(bytes));
        await this.#select(block);
      } while (!isEnd && !this.#isOver);
    } finally {
      this.#selector.buffers.release(this.#buffer);
    }
    return { events: this.#events, last: this.#last, scanned: this.#scanned, isEnd };
  }

  /** A buffer of at least some bytes; it is used again for the next block. */
  #bufferOf(bytes: number): Buffer {
    if (bytes > this.#buffer.length) {
      const { buffers } = this.#selector;
      buffers.release(this.#buffer);
      this.#buffer = buffers.acquire(Math.max(bytes, Math.min(MIN_BUFFER_BYTES, 4 * bytes)));
    }
    return this.#buffer;
  }

  get #isFull(): boolean {
    return this.#events.length >= this.#bounds.limit;
  }

  get #isOver(): boolean {
    return this.#isFull || this.#isLate || this.#scanned.events >= this.#bounds.maxEvents;
  }

  get #isLate(): boolean {
    return performance.now() >= this.#deadlineMs;
  }

  /** Fills a block with events of the walk. */
  async #nextBlock(): Promise<EventBlock> {
    const { events, bytes } = this.#blockSize;
    const left = this.#bounds.maxEvents - this.#scanned.events;
    const block = new EventBlock(this.#selector, { events: Math.min(events, left), bytes });
    this.#blockSize = {
      events: Math.min(2 * events, LARGEST_BLOCK.events),
      bytes: Math.min(2 * bytes, LARGEST_BLOCK.bytes),
    };
    while (!block.isFull && (block.scanned.events === 0 || !this.#isLate)) {
      const span = this.#rest ?? (await this.#nextSpan());
      if (span === undefined) break;
      const end = this.#addRows(block, span);
      this.#rest = end > span.from ? { ...span, end } : undefined;
      if (this.#slice.isOver) await this.#slice.next();
    }
    return block;
  }

  async #nextSpan(): Promise<SpanOfReports | undefined> {
    const span = (await this.#walk.spans.next()).value;
    return span && { ...span, reports: await this.#selector.occurrences.inSegment(span.segment) };
  }

  /** Adds the newest rows of a span, as many as fit into the block and the time slice; returns where the rest ends. */
  #addRows(block: EventBlock, { segment, from, end, reports }: SpanOfReports): number {
    let rowIndex = end;
    while (rowIndex > from && !block.isFull && !(this.#slice.isOver && rowIndex < end)) {
      rowIndex -= 1;
      if (this.#walk.ordinals?.has(segment.ordinalAt(rowIndex)) === false) continue;
      const row = segment.row(rowIndex);
      if (row !== undefined) this.#addRow(block, { segment: segment.number, rowIndex, row }, reports.get(rowIndex));
    }
    return rowIndex;
  }

  #addRow(block: EventBlock, event: EventLocation, reports: readonly EventLocation[] | undefined): void {
    // Most events have no other reports.
    if (reports === undefined) {
      block.add(event, NO_REPORTS);
      return;
    }
    const { row } = event;
    const counted = reports[0]?.row;
    if (row.repeats !== undefined && counted !== undefined && this.#selector.isShownWith(row, counted)) {
      block.skip(event);
      return;
    }
    const key = keyOfLine(row);
    block.add(
      event,
      reports.filter((report) => keyOfLine(report.row) !== key),
    );
  }

  /** Takes the matches of a block until the page is full. */
  async #select(block: EventBlock): Promise<void> {
    for (const range of block.ranges) {
      if (this.#slice.isOver) await this.#slice.next();
      block.searchLines(range);
    }
    for (const candidate of block.candidates) {
      if (!candidate.mayMatch) continue;
      if (this.#slice.isOver) await this.#slice.next();
      const others = candidate.others.map((other) => block.lineOf(other));
      const event = this.#selector.read(block.lineOf(candidate), others);
      if (event === undefined || this.#selector.matches?.(event) === false) continue;
      this.#events.push(event);
      if (this.#isFull) {
        const { eventsThrough: events, bytesThrough: bytes, skippedThrough: skipped } = candidate;
        return this.#count({ events, bytes, skipped }, candidate);
      }
    }
    this.#count(block.scanned, block.last);
  }

  #count({ events, bytes, skipped }: ScannedExtent, last: EventLocation | undefined): void {
    this.#scanned = {
      events: this.#scanned.events + events,
      bytes: this.#scanned.bytes + bytes,
      skipped: this.#scanned.skipped + skipped,
    };
    this.#last = last ?? this.#last;
  }
}
