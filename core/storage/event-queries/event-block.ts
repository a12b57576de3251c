import type { ScanExtent } from '../../../generated/reader-answers.js';
import { firstNotBefore } from '../../binary-search.js';
import type { EventLocation } from '../index/content/find-events.js';
import type { EventRow } from '../index/segments/event-segment.js';
import { keyOfLine } from '../index/segments/event-segment.js';
import { settleAll } from '../record/io/settle-all.js';
import type { Partition } from '../record/partitions/partition-path.js';
import type { EventLine, EventSelector } from './event-query.js';

/** What was scanned, and how many of the events are shown with others. */
export interface ScannedExtent extends ScanExtent {
  readonly skipped: number;
}

/** An event that the index does not exclude. */
export class Candidate implements EventLocation {
  readonly segment: number;
  readonly rowIndex: number;
  readonly row: EventRow;
  readonly lines: LineRange;
  /** The other reports of its occurrence, once the block is read. */
  others: readonly Candidate[] = [];
  /** What was scanned of its block up to it, itself included. */
  readonly eventsThrough: number;
  readonly bytesThrough: number;
  readonly skippedThrough: number;
  /** Whether the text of its line allows a match. */
  isTextFound = true;

  constructor({ segment, rowIndex, row }: EventLocation, lines: LineRange, through: ScannedExtent) {
    this.segment = segment;
    this.rowIndex = rowIndex;
    this.row = row;
    this.lines = lines;
    this.eventsThrough = through.events;
    this.bytesThrough = through.bytes;
    this.skippedThrough = through.skipped;
  }

  /** Whether the text of the lines of its occurrence allows a match. */
  get mayMatch(): boolean {
    return this.isTextFound || this.others.some(({ isTextFound }) => isTextFound);
  }
}

/** Neighbouring lines of one file, in one read; grows towards the beginning of the file, because newer lines come first. */
interface LineRange {
  readonly partition: Partition;
  start: number;
  readonly end: number;
  /** The newest line first. */
  readonly candidates: Candidate[];
  /** Undefined until they are read, and if some of them are missing. */
  bytes: Buffer | undefined;
}

const PARALLEL_READS = 4;
/** Larger gaps between lines are not read along. */
const MAX_GAP_BYTES = 16 * 1024;
/** A range is searched without a pause. */
const MAX_RANGE_BYTES = 1024 * 1024;

/** Events that are scanned together: added by the index, newest first, then read, then searched for text. */
export class EventBlock {
  readonly #selector: EventSelector;
  readonly #size: ScanExtent;
  /** What was scanned, with and without candidates. */
  readonly scanned = { events: 0, bytes: 0, skipped: 0 };
  #last: EventLocation | undefined;
  readonly candidates: Candidate[] = [];
  readonly ranges: LineRange[] = [];
  /** By folder of the partition. */
  readonly #newestRanges = new Map<string, LineRange>();
  #bytesToRead = 0;
  /** The other reports of candidates, until `read`. */
  readonly #others = new Map<Candidate, readonly EventLocation[]>();
  /** Lines that could not be read with their neighbours. */
  readonly #singleLines = new Map<Candidate, Buffer>();

  constructor(selector: EventSelector, size: ScanExtent) {
    this.#selector = selector;
    this.#size = size;
  }

  /** The last scanned event. */
  get last(): EventLocation | undefined {
    return this.#last;
  }

  get isFull(): boolean {
    const { events, bytes } = this.scanned;
    return events >= this.#size.events || Math.max(bytes, this.#bytesToRead) >= this.#size.bytes;
  }

  /** Adds the event before the last added one, with the other reports of its occurrence. */
  add(location: EventLocation, others: readonly EventLocation[]): void {
    this.#scan(location);
    if (this.#selector.mayMatch?.(location.row) === false) return;
    const candidate = this.#candidateAt(location);
    this.candidates.push(candidate);
    if (others.length === 0) return;
    this.#others.set(candidate, others);
    for (const { row } of others) this.#bytesToRead += row.bytes;
  }

  /** Adds the event before the last added one, which is shown with another report of its occurrence. */
  skip(location: EventLocation): void {
    this.scanned.skipped += 1;
    this.#scan(location);
  }

  #scan(location: EventLocation): void {
    this.scanned.events += 1;
    this.scanned.bytes += location.row.bytes + 1;
    this.#last = location;
  }

  #candidateAt(location: EventLocation): Candidate {
    const lines = this.#rangeOf(location);
    const candidate = new Candidate(location, lines, this.scanned);
    lines.candidates.push(candidate);
    return candidate;
  }

  /** The range in which the line of an event is read. */
  #rangeOf({ row: { partition, offset: start, bytes } }: EventLocation): LineRange {
    const newest = this.#newestRanges.get(partition.folder);
    if (newest !== undefined) {
      const gap = newest.start - start - bytes;
      if (gap >= 0 && gap <= MAX_GAP_BYTES && newest.end - start <= MAX_RANGE_BYTES) {
        this.#bytesToRead += newest.start - start;
        newest.start = start;
        return newest;
      }
    }
    const range: LineRange = { partition, start, end: start + bytes, candidates: [], bytes: undefined };
    this.#bytesToRead += bytes;
    this.ranges.push(range);
    this.#newestRanges.set(partition.folder, range);
    return range;
  }

  /** Reads the lines of the candidates into a buffer of `bufferOf`, which holds them until it is used again. */
  async read(bufferOf: (bytes: number) => Buffer): Promise<void> {
    this.#addOthers();
    const buffer = bufferOf(this.#bytesToRead);
    let used = 0;
    await settleAll(this.ranges, PARALLEL_READS, async (range) => {
      const { partition, start, end } = range;
      const into = buffer.subarray(used, used + end - start);
      used += end - start;
      range.bytes = await this.#selector.record.readAt(partition, start, end - start, into);
      if (range.bytes === undefined) await this.#readOneByOne(range);
    });
  }

  /** Places the lines of other reports, which lie in no order, in ranges of their own. */
  #addOthers(): void {
    this.#newestRanges.clear();
    const placed = new Map<string, Candidate>();
    const others = [...this.#others.values()].flat().sort((one, other) => other.row.offset - one.row.offset);
    for (const other of others) {
      const key = keyOfLine(other.row);
      if (placed.has(key)) continue;
      this.#bytesToRead -= other.row.bytes;
      placed.set(key, this.#candidateAt(other));
    }
    for (const [candidate, reports] of this.#others) {
      candidate.others = reports.flatMap(({ row }) => placed.get(keyOfLine(row)) ?? []);
    }
  }

  async #readOneByOne({ candidates }: LineRange): Promise<void> {
    for (const candidate of candidates) {
      const { partition, offset, bytes } = candidate.row;
      const line = await this.#selector.record.readAt(partition, offset, bytes);
      if (line !== undefined) this.#singleLines.set(candidate, line);
    }
  }

  /** Excludes candidates whose lines lack the text that matches have. */
  searchLines({ bytes, start, candidates }: LineRange): void {
    const { lineSearch } = this.#selector;
    if (lineSearch === undefined || bytes === undefined) return;
    for (const candidate of candidates) candidate.isTextFound = lineSearch.isTitled(candidate.row.ordinal);
    lineSearch.literals.search(bytes, (at) => {
      const candidate = lastBeginningBy(candidates, start + at);
      if (candidate === undefined) return at + 1;
      const { offset, bytes } = candidate.row;
      const lineEnd = offset + bytes - start;
      if (at < lineEnd) candidate.isTextFound = true;
      return Math.max(at + 1, lineEnd);
    });
  }

  lineOf(candidate: Candidate): EventLine {
    const { row, lines } = candidate;
    const at = row.offset - lines.start;
    return { row, line: lines.bytes?.subarray(at, at + row.bytes) ?? this.#singleLines.get(candidate) };
  }
}

/** The last line of some, which are in descending order, that begins at an offset or before. */
function lastBeginningBy(candidates: readonly Candidate[], offset: number): Candidate | undefined {
  const beginsAfter = (index: number): boolean => (candidates[index]?.row.offset ?? 0) > offset;
  return candidates[firstNotBefore(candidates.length, beginsAfter)];
}
