import type { EventSegment } from '../index/segments/event-segment.js';
import type { BufferPool } from '../record/io/buffer-pool.js';
import { settleAll } from '../record/io/settle-all.js';
import type { Partition } from '../record/partitions/partition-path.js';
import type { RecordReader } from '../record/reader/record-reader.js';
import { RawBlock } from './raw-predicates.js';

const PARALLEL_READS = 4;
/** Keeps blocks of growing size from allocating a larger buffer each. */
const MIN_BUFFER_BYTES = 5 * 1024 * 1024;
/** Larger gaps between lines are not read along. */
const MAX_GAP_BYTES = 16 * 1024;
const MAX_BLOCK_BYTES = 1024 * 1024;

/** Lines of one file in one read; grows towards the beginning of the file, because newer lines come first. */
interface ReadRange {
  readonly partition: Partition;
  start: number;
  readonly end: number;
  lines: number;
  base: number;
  block: RawBlock | undefined;
}

/**
 * Raw lines of events, newest first, grouped into ranges: call `begin`, `add` and `read`. Lines are numbered in order
 * of `add`, slots by range and offset.
 */
export class ReadRanges {
  readonly #buffers: BufferPool;
  #buffer: Buffer = Buffer.alloc(0);
  ranges: ReadRange[] = [];
  readonly #newestRanges = new Map<string, number>();
  /** The same by partition index in the current segment. */
  #newestOfSegment: (number | undefined)[] = [];
  #segment: EventSegment | undefined;

  #capacity = 0;
  #lines = 0;
  /** By line: its offset and length in the file, its range, and the later lines of the range. */
  #offsets = new Float64Array(0);
  #lengths = new Int32Array(0);
  #rangeOf = new Int32Array(0);
  #followers = new Int32Array(0);
  #slots = new Int32Array(0);
  /** By slot: offsets in the block. */
  #starts = new Int32Array(0);
  #ends = new Int32Array(0);
  /** Slots of lines that the record lacks. */
  readonly #missing = new Set<number>();

  constructor(buffers: BufferPool) {
    this.#buffers = buffers;
  }

  begin(): void {
    this.#lines = 0;
    this.ranges = [];
    this.#newestRanges.clear();
    this.#newestOfSegment = [];
    this.#segment = undefined;
    this.#missing.clear();
  }

  reserve(capacity: number): void {
    if (capacity <= this.#capacity) return;
    this.#capacity = capacity;
    this.#offsets = grownColumn(new Float64Array(capacity), this.#offsets);
    this.#lengths = grownColumn(new Int32Array(capacity), this.#lengths);
    this.#rangeOf = grownColumn(new Int32Array(capacity), this.#rangeOf);
    this.#followers = grownColumn(new Int32Array(capacity), this.#followers);
    this.#slots = new Int32Array(capacity);
    this.#starts = new Int32Array(capacity);
    this.#ends = new Int32Array(capacity);
  }

  /** Adds the line of a row; call `reserve` first. */
  add(segment: EventSegment, index: number): void {
    if (segment !== this.#segment) {
      this.#segment = segment;
      this.#newestOfSegment = [];
    }
    const line = this.#lines;
    this.#lines += 1;
    const at = segment.partitionAt(index);
    const start = segment.offsetAt(index);
    const length = segment.bytesAt(index);
    const end = start + length;
    const number = this.#newestOfSegment[at] ?? this.#newestRanges.get(segment.partitions[at]?.folder ?? '');
    let range = number === undefined ? undefined : this.ranges[number];
    let rangeNumber = number ?? -1;
    const gap = range === undefined ? -1 : range.start - end;
    if (range === undefined || gap < 0 || gap > MAX_GAP_BYTES || range.end - start > MAX_BLOCK_BYTES) {
      const partition = segment.partitions[at];
      if (partition === undefined) throw new Error(`Row ${index} does not exist.`);
      range = { partition, start, end, lines: 0, base: 0, block: undefined };
      rangeNumber = this.ranges.push(range) - 1;
      this.#newestRanges.set(partition.folder, rangeNumber);
    }
    this.#newestOfSegment[at] = rangeNumber;
    range.start = start;
    this.#offsets[line] = start;
    this.#lengths[line] = length;
    this.#rangeOf[line] = rangeNumber;
    this.#followers[line] = range.lines;
    range.lines += 1;
  }

  async read(record: Pick<RecordReader, 'readAt'>): Promise<void> {
    this.#assignSlots();
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
      const starts = this.#starts.subarray(range.base, range.base + range.lines);
      const ends = this.#ends.subarray(range.base, range.base + range.lines);
      const found = await record.readAt(range.partition, range.start, length, buffer);
      if (found === undefined) await this.#readOneByOne(record, range, buffer);
      range.block = new RawBlock(found ?? buffer, starts, ends);
    });
  }

  /** Missing lines are filled with zeros. */
  async #readOneByOne(record: Pick<RecordReader, 'readAt'>, range: ReadRange, buffer: Buffer): Promise<void> {
    buffer.fill(0);
    for (let slot = range.base; slot < range.base + range.lines; slot += 1) {
      const start = this.#starts[slot] ?? 0;
      const line = await record.readAt(range.partition, range.start + start, (this.#ends[slot] ?? 0) - start);
      if (line === undefined) this.#missing.add(slot);
      else buffer.set(line, start);
    }
  }

  #assignSlots(): void {
    let base = 0;
    for (const range of this.ranges) {
      range.base = base;
      base += range.lines;
    }
    for (let line = 0; line < this.#lines; line += 1) {
      const range = this.ranges[this.#rangeOf[line] ?? 0];
      if (range === undefined) continue;
      const slot = range.base + range.lines - 1 - (this.#followers[line] ?? 0);
      const start = (this.#offsets[line] ?? 0) - range.start;
      this.#slots[line] = slot;
      this.#starts[slot] = start;
      this.#ends[slot] = start + (this.#lengths[line] ?? 0);
    }
  }

  slotOf(line: number): number {
    return this.#slots[line] ?? 0;
  }

  isMissing(slot: number): boolean {
    return this.#missing.has(slot);
  }

  /** The bytes of a line until `begin`; undefined if the record lacks it. */
  bytesOf(line: number): Buffer | undefined {
    const slot = this.#slots[line] ?? 0;
    if (this.#missing.has(slot)) return undefined;
    const block = this.ranges[this.#rangeOf[line] ?? 0]?.block;
    return block?.bytes.subarray(this.#starts[slot], this.#ends[slot]);
  }

  /** Releases its buffer; call `begin` before it is used again. */
  end(): void {
    this.#buffers.release(this.#buffer);
    this.#buffer = Buffer.alloc(0);
  }
}

/** Copies a column into a longer one. */
export function grownColumn<Column extends Int32Array | Float64Array>(longer: Column, column: Column): Column {
  longer.set(column);
  return longer;
}
