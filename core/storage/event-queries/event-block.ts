import type { TimeSlice } from '../../time-slice.js';
import type { EventLocation } from '../index/content/find-events.js';
import type { EventSegment } from '../index/segments/event-segment.js';
import type { BufferPool } from '../record/io/buffer-pool.js';
import { settleAll } from '../record/io/settle-all.js';
import type { Partition } from '../record/partitions/partition-path.js';
import type { RecordReader } from '../record/reader/record-reader.js';
import type { SegmentSpan } from './event-cursor.js';
import type { EventPrefilter } from './event-prefilter.js';
import { NO, RawBlock, type Verdict } from './raw-predicates.js';

export interface BlockSize {
  readonly events: number;
  readonly bytes: number;
}

/** An event that the index does not exclude. */
interface Candidate {
  readonly segment: EventSegment;
  readonly index: number;
  readonly range: ReadRange;
  /** Later lines of the range. */
  readonly followers: number;
  /** Scanned events and bytes, itself included. */
  readonly eventsThrough: number;
  readonly bytesThrough: number;
}

/** Lines of one file in one read; grows towards the beginning of the file, because newer lines come first. */
interface ReadRange {
  readonly partition: Partition;
  start: number;
  readonly end: number;
  /** The newest line first. */
  readonly candidates: Candidate[];
  block: RawBlock | undefined;
  /** Lines that the record lacks, by their index in the block. */
  missing: ReadonlySet<number> | undefined;
  /** By test of the prefilter: the verdict on each line of the block. */
  verdicts: readonly Uint8Array[];
}

/** Rows added in one time slice. */
const ROWS_PER_TURN = 512;
const ROWS_PER_CLOCK_CHECK = 16;
const PARALLEL_READS = 4;
/** Keeps blocks of growing size from allocating a larger buffer each. */
const MIN_BUFFER_BYTES = 5 * 1024 * 1024;
/** Larger gaps between lines are not read along. */
const MAX_GAP_BYTES = 16 * 1024;
const MAX_RANGE_BYTES = 1024 * 1024;

/** Events scanned together: `begin`, `add`, `read`, `test`. One buffer is reused: a new one per block triggers full GCs. */
export class EventBlock {
  readonly #prefilter: EventPrefilter | undefined;
  readonly #ordinals: ReadonlySet<number> | undefined;
  readonly #buffers: BufferPool;
  #buffer: Buffer = Buffer.alloc(0);
  #size: BlockSize = { events: 0, bytes: 0 };
  /** Part of `events` and `bytes`. */
  #skipped: BlockSize = { events: 0, bytes: 0 };

  events = 0;
  bytes = 0;
  #last: Pick<Candidate, 'segment' | 'index'> | undefined;
  #candidates: Candidate[] = [];
  ranges: ReadRange[] = [];
  /** Of the last candidate, whose neighbours mostly follow. */
  #range: ReadRange | undefined;
  /** By folder. */
  readonly #newestRanges = new Map<string, ReadRange>();

  /** `ordinals`: rows of other issues are skipped. */
  constructor(prefilter: EventPrefilter | undefined, ordinals: ReadonlySet<number> | undefined, buffers: BufferPool) {
    this.#prefilter = prefilter;
    this.#ordinals = ordinals;
    this.#buffers = buffers;
  }

  /** Number of events that the index does not exclude. */
  get candidates(): number {
    return this.#candidates.length;
  }

  begin(size: BlockSize): void {
    this.#size = size;
    this.#skipped = { events: 0, bytes: 0 };
    this.events = 0;
    this.bytes = 0;
    this.#last = undefined;
    this.#candidates = [];
    this.ranges = [];
    this.#range = undefined;
    this.#newestRanges.clear();
  }

  get isFull(): boolean {
    const { events, bytes } = this.#skipped;
    return this.events - events >= this.#size.events || this.bytes - bytes >= this.#size.bytes;
  }

  /** Adds the newest rows of a span, as many as fit into the block and the time slice; returns where the rest ends. */
  add({ segment, from, end, skipped }: SegmentSpan, turn: Pick<TimeSlice, 'isOver'>): number {
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
    const start = segment.offsetAt(index);
    const end = start + segment.bytesAt(index);
    const partition = segment.partitions[segment.partitionAt(index)];
    if (partition === undefined) throw new Error(`Row ${index} does not exist.`);
    let range = this.#range?.partition === partition ? this.#range : this.#newestRanges.get(partition.folder);
    const gap = range === undefined ? -1 : range.start - end;
    if (range === undefined || gap < 0 || gap > MAX_GAP_BYTES || range.end - start > MAX_RANGE_BYTES) {
      range = { partition, start, end, candidates: [], block: undefined, missing: undefined, verdicts: [] };
      this.ranges.push(range);
      this.#newestRanges.set(partition.folder, range);
    }
    this.#range = range;
    const followers = range.candidates.length;
    const candidate = { segment, index, range, followers, eventsThrough: this.events, bytesThrough: this.bytes };
    this.#candidates.push(candidate);
    range.candidates.push(candidate);
    range.start = start;
  }

  async read(record: Pick<RecordReader, 'readAt'>): Promise<void> {
    let used = 0;
    const bytes = this.ranges.reduce((sum, { start, end }) => sum + end - start, 0);
    if (bytes > this.#buffer.length) {
      this.#buffers.release(this.#buffer);
      this.#buffer = this.#buffers.acquire(Math.max(bytes, Math.min(MIN_BUFFER_BYTES, 4 * bytes)));
    }
    await settleAll(this.ranges, PARALLEL_READS, async (range) => {
      const length = range.end - range.start;
      const buffer = this.#buffer.subarray(used, used + length);
      used += length;
      const starts = new Int32Array(range.candidates.length);
      const ends = new Int32Array(range.candidates.length);
      for (const candidate of range.candidates) {
        const line = lineIn(candidate);
        const start = candidate.segment.offsetAt(candidate.index) - range.start;
        starts[line] = start;
        ends[line] = start + candidate.segment.bytesAt(candidate.index);
      }
      const block = new RawBlock(buffer, starts, ends);
      const found = await record.readAt(range.partition, range.start, length, buffer);
      if (found === undefined) range.missing = await readOneByOne(record, range, block);
      range.block = found === undefined ? block : new RawBlock(found, starts, ends);
    });
  }

  /** Releases its buffer; call `begin` before it is used again. */
  end(): void {
    this.#buffers.release(this.#buffer);
    this.#buffer = Buffer.alloc(0);
  }

  /** Runs the prefilter's tests over the lines of one range. */
  test(range: ReadRange): void {
    const { block } = range;
    if (block === undefined) return;
    range.verdicts = (this.#prefilter?.tests ?? []).map((test) => {
      const verdicts = new Uint8Array(block.starts.length);
      test.evaluate(block, verdicts);
      return verdicts;
    });
  }

  /** Whether a candidate may match by its line; call `test` first. */
  mayMatch(candidate: number): boolean {
    const found = this.#candidates[candidate];
    if (this.#prefilter === undefined || found === undefined) return true;
    this.#asked = found.range;
    this.#askedLine = lineIn(found);
    // Reading the event reports the missing line.
    if (found.range.missing?.has(this.#askedLine)) return true;
    return this.#prefilter.verdict(found.segment, found.index, this.#verdictOf) !== NO;
  }

  // A closure for each candidate would be garbage.
  readonly #verdictOf = (test: number): Verdict => (this.#asked?.verdicts[test]?.[this.#askedLine] ?? NO) as Verdict;
  #asked: ReadRange | undefined;
  #askedLine = 0;

  locationOf(candidate: number): EventLocation | undefined {
    return locationOf(this.#candidates[candidate]);
  }

  /** The raw line of a candidate until `begin`; undefined if the record lacks it. */
  lineOf(candidate: number): Buffer | undefined {
    const found = this.#candidates[candidate];
    const line = found === undefined ? 0 : lineIn(found);
    if (found?.range.block === undefined || found.range.missing?.has(line)) return undefined;
    const { bytes, starts, ends } = found.range.block;
    return bytes.subarray(starts[line], ends[line]);
  }

  /** The last scanned event, and what was scanned up to it, or up to one candidate. */
  through(candidate?: number): { readonly last: EventLocation | undefined } & BlockSize {
    if (candidate === undefined) return { last: locationOf(this.#last), events: this.events, bytes: this.bytes };
    const { eventsThrough: events = 0, bytesThrough: bytes = 0 } = this.#candidates[candidate] ?? {};
    return { last: this.locationOf(candidate), events, bytes };
  }
}

/** Fills the lines of a block; missing ones, which are returned, are filled with zeros. */
async function readOneByOne(
  record: Pick<RecordReader, 'readAt'>,
  range: ReadRange,
  { bytes, starts, ends }: RawBlock,
): Promise<ReadonlySet<number>> {
  const missing = new Set<number>();
  bytes.fill(0);
  for (const [line, start] of starts.entries()) {
    const found = await record.readAt(range.partition, range.start + start, (ends[line] ?? 0) - start);
    if (found === undefined) missing.add(line);
    else bytes.set(found, start);
  }
  return missing;
}

/** Index of a candidate's line in its block. */
function lineIn({ range, followers }: Candidate): number {
  return range.candidates.length - 1 - followers;
}

function locationOf(found: Pick<Candidate, 'segment' | 'index'> | undefined): EventLocation | undefined {
  const row = found?.segment.row(found.index);
  return found && row && { segment: found.segment.number, rowIndex: found.index, row };
}
