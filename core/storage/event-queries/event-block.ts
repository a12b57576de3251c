import type { ScanExtent } from '../../../generated/reader-answers.js';
import { firstNotBefore } from '../../binary-search.js';
import type { EventLocation } from '../index/content/find-events.js';
import type { EventRow } from '../index/segments/event-segment.js';
import { settleAll } from '../record/io/settle-all.js';
import type { Partition } from '../record/partitions/partition-path.js';
import type { EventSelector } from './event-query.js';

/** An event that the index does not exclude. */
export class Candidate implements EventLocation {
  readonly segment: number;
  readonly rowIndex: number;
  readonly row: EventRow;
  readonly lines: LineRange;
  /** What was scanned of its block up to it, itself included. */
  readonly eventsThrough: number;
  readonly bytesThrough: number;
  /** Whether the text of its line allows a match. */
  mayMatch = true;

  constructor({ segment, rowIndex, row }: EventLocation, lines: LineRange, through: ScanExtent) {
    this.segment = segment;
    this.rowIndex = rowIndex;
    this.row = row;
    this.lines = lines;
    this.eventsThrough = through.events;
    this.bytesThrough = through.bytes;
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
  readonly scanned = { events: 0, bytes: 0 };
  #last: EventLocation | undefined;
  readonly candidates: Candidate[] = [];
  readonly ranges: LineRange[] = [];
  /** By folder of the partition. */
  readonly #newestRanges = new Map<string, LineRange>();
  #bytesToRead = 0;
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

  /** Size of the buffer that `read` needs. */
  get bytesToRead(): number {
    return this.#bytesToRead;
  }

  get isFull(): boolean {
    const { events, bytes } = this.scanned;
    return events >= this.#size.events || Math.max(bytes, this.#bytesToRead) >= this.#size.bytes;
  }

  /** Adds the event before the last added one. */
  add(location: EventLocation): void {
    const { row } = location;
    this.scanned.events += 1;
    this.scanned.bytes += row.bytes + 1;
    this.#last = location;
    if (this.#selector.mayMatch?.(row) === false) return;
    const lines = this.#rangeOf(location);
    const candidate = new Candidate(location, lines, this.scanned);
    this.candidates.push(candidate);
    lines.candidates.push(candidate);
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

  /** Reads the lines of the candidates into a buffer, which holds them until it is used again. */
  async read(buffer: Buffer): Promise<void> {
    let used = 0;
    await settleAll(this.ranges, PARALLEL_READS, async (range) => {
      const { partition, start, end } = range;
      const into = buffer.subarray(used, used + end - start);
      used += end - start;
      range.bytes = await this.#selector.record.readAt(partition, start, end - start, into);
      if (range.bytes === undefined) await this.#readOneByOne(range);
    });
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
    for (const candidate of candidates) candidate.mayMatch = lineSearch.isTitled(candidate.row.ordinal);
    lineSearch.literals.search(bytes, (at) => {
      const candidate = lastBeginningBy(candidates, start + at);
      if (candidate === undefined) return at + 1;
      const { offset, bytes } = candidate.row;
      const lineEnd = offset + bytes - start;
      if (at < lineEnd) candidate.mayMatch = true;
      return Math.max(at + 1, lineEnd);
    });
  }

  /** The raw line of a candidate; undefined if the record lacks it. */
  lineOf(candidate: Candidate): Buffer | undefined {
    const { bytes, start } = candidate.lines;
    if (bytes === undefined) return this.#singleLines.get(candidate);
    const { row } = candidate;
    return bytes.subarray(row.offset - start, row.offset - start + row.bytes);
  }
}

/** The last line of some, which are in descending order, that begins at an offset or before. */
function lastBeginningBy(candidates: readonly Candidate[], offset: number): Candidate | undefined {
  const beginsAfter = (index: number): boolean => (candidates[index]?.row.offset ?? 0) > offset;
  return candidates[firstNotBefore(candidates.length, beginsAfter)];
}
