import type { ReadMemory } from '../events/read-buffers.js';
import type { EventSegment } from '../index/segments/event-segment.js';
import { settleAll } from '../record/io/settle-all.js';
import type { Partition } from '../record/partitions/partition-path.js';
import type { RecordReader } from '../record/reader/record-reader.js';
import { RawBlock } from './raw-block.js';

const PARALLEL_READS = 4;
/** So that portions of growing size take one piece of memory, not a larger one each. */
const LEAST_MEMORY = 5 * 1024 * 1024;
/** Bytes between two lines that are read along, because a read of its own costs more. */
const MAX_GAP_BYTES = 16 * 1024;
const MAX_BLOCK_BYTES = 1024 * 1024;

/** Lines of one file that are read at once; the newest event comes first, so it grows towards the beginning of the file. */
interface LineRun {
  readonly partition: Partition;
  start: number;
  readonly end: number;
  lines: number;
  /** Slot of its first line. */
  base: number;
  /** Undefined until it was read. */
  block: RawBlock | undefined;
}

/**
 * Raw lines of events, newest first, and the runs in which they are read: `add` each, then `read`, then ask for lines and blocks. Lines are named by the order in which they were added,
 * and have a slot: their place among the lines of all runs as they lie in their files. It is used again after `begin`, with its memory.
 */
export class ReadRanges {
  readonly #memories: ReadMemory;
  #memory: Buffer = Buffer.alloc(0);
  #runs: LineRun[] = [];
  /** By folder. */
  readonly #newestRuns = new Map<string, number>();
  /** The same by place of the partition in the segment whose lines are added. */
  #newestOfSegment: (number | undefined)[] = [];
  #segment: EventSegment | undefined;

  #capacity = 0;
  #lines = 0;
  /** By line: where it lies in its file, its run, and how many lines of the run follow it in the file. */
  #offsets = new Float64Array(0);
  #lengths = new Int32Array(0);
  #runOf = new Int32Array(0);
  #followers = new Int32Array(0);
  /** By line. */
  #slots = new Int32Array(0);
  /** By slot: where the line lies in its block. */
  #starts = new Int32Array(0);
  #ends = new Int32Array(0);
  /** Slots of lines that the record does not hold. */
  readonly #missing = new Set<number>();

  constructor(memories: ReadMemory) {
    this.#memories = memories;
  }

  get runs(): readonly LineRun[] {
    return this.#runs;
  }

  /** Forgets what it held. */
  begin(): void {
    this.#lines = 0;
    this.#runs = [];
    this.#newestRuns.clear();
    this.#newestOfSegment = [];
    this.#segment = undefined;
    this.#missing.clear();
  }

  /** Makes room for so many lines. */
  reserve(capacity: number): void {
    if (capacity <= this.#capacity) return;
    this.#capacity = capacity;
    this.#offsets = grownColumn(new Float64Array(capacity), this.#offsets);
    this.#lengths = grownColumn(new Int32Array(capacity), this.#lengths);
    this.#runOf = grownColumn(new Int32Array(capacity), this.#runOf);
    this.#followers = grownColumn(new Int32Array(capacity), this.#followers);
    this.#slots = new Int32Array(capacity);
    this.#starts = new Int32Array(capacity);
    this.#ends = new Int32Array(capacity);
  }

  /** Adds the line of a row, for which there must be room. */
  add(segment: EventSegment, place: number): void {
    if (segment !== this.#segment) {
      this.#segment = segment;
      this.#newestOfSegment = [];
    }
    const line = this.#lines;
    this.#lines += 1;
    const at = segment.partitionAt(place);
    const start = segment.offsetAt(place);
    const length = segment.bytesAt(place);
    const end = start + length;
    const number = this.#newestOfSegment[at] ?? this.#newestRuns.get(segment.partitions[at]?.folder ?? '');
    let run = number === undefined ? undefined : this.#runs[number];
    let runNumber = number ?? -1;
    const gap = run === undefined ? -1 : run.start - end;
    if (run === undefined || gap < 0 || gap > MAX_GAP_BYTES || run.end - start > MAX_BLOCK_BYTES) {
      const partition = segment.partitions[at];
      if (partition === undefined) throw new Error(`There is no row ${place} to read.`);
      run = { partition, start, end, lines: 0, base: 0, block: undefined };
      runNumber = this.#runs.push(run) - 1;
      this.#newestRuns.set(partition.folder, runNumber);
    }
    this.#newestOfSegment[at] = runNumber;
    run.start = start;
    this.#offsets[line] = start;
    this.#lengths[line] = length;
    this.#runOf[line] = runNumber;
    this.#followers[line] = run.lines;
    run.lines += 1;
  }

  /** Reads all lines, neighbours in a file at once. */
  async read(record: Pick<RecordReader, 'readAt'>): Promise<void> {
    this.#layOut();
    let used = 0;
    const bytes = this.#runs.reduce((sum, { start, end }) => sum + end - start, 0);
    if (bytes > this.#memory.length) {
      this.#memories.giveBack(this.#memory);
      this.#memory = this.#memories.take(Math.max(bytes, Math.min(LEAST_MEMORY, 4 * bytes)));
    }
    await settleAll(this.#runs, PARALLEL_READS, async (run) => {
      const length = run.end - run.start;
      const memory = this.#memory.subarray(used, used + length);
      used += length;
      const starts = this.#starts.subarray(run.base, run.base + run.lines);
      const ends = this.#ends.subarray(run.base, run.base + run.lines);
      const found = await record.readAt(run.partition, run.start, length, memory);
      if (found === undefined) await this.#readAlone(record, run, memory);
      run.block = new RawBlock(found ?? memory, starts, ends);
    });
  }

  /** What the file does not hold any more is nothing but zeros. */
  async #readAlone(record: Pick<RecordReader, 'readAt'>, run: LineRun, memory: Buffer): Promise<void> {
    memory.fill(0);
    for (let slot = run.base; slot < run.base + run.lines; slot += 1) {
      const start = this.#starts[slot] ?? 0;
      const line = await record.readAt(run.partition, run.start + start, (this.#ends[slot] ?? 0) - start);
      if (line === undefined) this.#missing.add(slot);
      else memory.set(line, start);
    }
  }

  /** Gives each line its slot. */
  #layOut(): void {
    let base = 0;
    for (const run of this.#runs) {
      run.base = base;
      base += run.lines;
    }
    for (let line = 0; line < this.#lines; line += 1) {
      const run = this.#runs[this.#runOf[line] ?? 0];
      if (run === undefined) continue;
      const slot = run.base + run.lines - 1 - (this.#followers[line] ?? 0);
      const start = (this.#offsets[line] ?? 0) - run.start;
      this.#slots[line] = slot;
      this.#starts[slot] = start;
      this.#ends[slot] = start + (this.#lengths[line] ?? 0);
    }
  }

  slotOf(line: number): number {
    return this.#slots[line] ?? 0;
  }

  /** Whether the record does not hold the line of a slot (any more). */
  isMissing(slot: number): boolean {
    return this.#missing.has(slot);
  }

  /** The bytes of a line until `begin`; undefined where the record does not hold it (any more). */
  bytesOf(line: number): Buffer | undefined {
    const slot = this.#slots[line] ?? 0;
    if (this.#missing.has(slot)) return undefined;
    const block = this.#runs[this.#runOf[line] ?? 0]?.block;
    return block?.bytes.subarray(this.#starts[slot], this.#ends[slot]);
  }

  /** Gives back its memory; nothing may be asked of it any more. */
  end(): void {
    this.#memories.giveBack(this.#memory);
    this.#memory = Buffer.alloc(0);
  }
}

/** A column of numbers that holds what a shorter one held. */
export function grownColumn<Column extends Int32Array | Float64Array>(longer: Column, column: Column): Column {
  longer.set(column);
  return longer;
}
