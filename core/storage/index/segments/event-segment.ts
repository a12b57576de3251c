import { firstNotBefore } from '../../../binary-search.js';
import type { EventId } from '../../../event/ids.js';
import type { CommittedEvent } from '../../record/commits/committed-event.js';
import { type EventIdParts, parseEventId } from '../../record/partitions/event-id.js';
import type { Partition } from '../../record/partitions/partition-path.js';

/** Where one event is stored, and when it was received and happened. */
export interface EventRow extends Pick<CommittedEvent, 'partition' | 'line' | 'offset' | 'bytes' | 'receivedAtMicros'> {
  /** Of its issue. */
  readonly ordinal: number;
  /** Rounded down to milliseconds. */
  readonly eventTimeMs: number;
  /** Occurrences it counts for: 1, more if a processor samples, 0 if another event counts its occurrence. */
  readonly weight: number;
  /** The event that counts its occurrence; undefined: it is that event. */
  readonly repeats: EventId | undefined;
}

/** Occurrences that an event counts for and that are not stored, because a processor sampled them out. */
export function sampledIn({ weight, repeats }: Pick<EventRow, 'weight' | 'repeats'>): number {
  return repeats === undefined ? weight - 1 : weight;
}

/** A report is read together with the event that it repeats if it was received at most this time after it. */
export const REPORT_WINDOW_MICROS = 3_600_000_000;

/** The event that a report repeats, if it may be read with it. */
export function readWith({
  repeats,
  receivedAtMicros: at,
}: Pick<EventRow, 'repeats' | 'receivedAtMicros'>): EventIdParts | undefined {
  const id = repeats && parseEventId(repeats);
  if (id === undefined) return undefined;
  return id.receivedAtMicros < at && id.receivedAtMicros >= at - REPORT_WINDOW_MICROS ? id : undefined;
}

/** Unique among the lines of a record. */
export function keyOfLine({ partition, line }: Pick<EventRow, 'partition' | 'line'>): string {
  return `${partition.folder}:${line}`;
}

const INITIAL_CAPACITY = 512;

/**
 * The fields of rows, one array for each. Objects would take four times the memory, and the garbage collector would traverse them: a search
 * over a large folder reads thousands of segments.
 */
class RowColumns {
  readonly ordinals: Int32Array;
  /** Indexes of partitions. */
  readonly partitions: Int32Array;
  readonly lines: Int32Array;
  readonly bytes: Int32Array;
  readonly offsets: Float64Array;
  readonly receivedAt: Float64Array;
  readonly eventTimes: Float64Array;

  constructor(capacity: number) {
    this.ordinals = new Int32Array(capacity);
    this.partitions = new Int32Array(capacity);
    this.lines = new Int32Array(capacity);
    this.bytes = new Int32Array(capacity);
    this.offsets = new Float64Array(capacity);
    this.receivedAt = new Float64Array(capacity);
    this.eventTimes = new Float64Array(capacity);
  }

  /** A copy with more room. */
  grownTo(capacity: number): RowColumns {
    const grown = new RowColumns(capacity);
    grown.ordinals.set(this.ordinals);
    grown.partitions.set(this.partitions);
    grown.lines.set(this.lines);
    grown.bytes.set(this.bytes);
    grown.offsets.set(this.offsets);
    grown.receivedAt.set(this.receivedAt);
    grown.eventTimes.set(this.eventTimes);
    return grown;
  }
}

/** The issues of a sealed segment in order of their first row, and the previous segment of each, -1 if there is none. */
interface IssueChain {
  readonly ordinals: readonly number[];
  readonly segments: readonly number[];
}

/** Consecutive events, immutable once sealed; for each issue it names the previous segment with its events. */
export class EventSegment {
  readonly number: number;
  /** Rows refer to partitions by index. */
  readonly partitions: Partition[] = [];
  readonly #partitionIndexes = new Map<string, number>();
  rows = 0;
  /** By row index, ascending; only of rows that do not count for one occurrence, which are few. */
  weights: Map<number, number> | undefined;
  /** The events that rows repeat, by row index, ascending. */
  repeats: Map<number, EventId> | undefined;
  /** Those of them that `readWith` returns, likewise. */
  readonly readWith = new Map<number, EventIdParts>();
  /** When the first of those was received; infinite without one. */
  reachesBackTo = Number.POSITIVE_INFINITY;
  #columns: RowColumns;
  readonly #chain: IssueChain;
  #previous: Map<number, number> | undefined;

  /** `capacity` and `chain`: of a sealed segment, whose rows follow by `restore`. */
  constructor(number: number, capacity = INITIAL_CAPACITY, chain: IssueChain = { ordinals: [], segments: [] }) {
    this.number = number;
    this.#chain = chain;
    this.#columns = new RowColumns(capacity);
  }

  /** By ordinal, in order of first row: the number of the previous segment with events of the issue. Made when it is first needed: a scan of all events needs none. */
  get previous(): Map<number, number> {
    const { ordinals, segments } = this.#chain;
    this.#previous ??= new Map(ordinals.map((ordinal, index) => [ordinal, segments[index] ?? -1]));
    return this.#previous;
  }

  get firstReceivedAtMicros(): number {
    return this.#columns.receivedAt[0] ?? 0;
  }

  get lastReceivedAtMicros(): number {
    return this.#columns.receivedAt[this.rows - 1] ?? 0;
  }

  /** `previousSegment` is used for the first row of an issue only. */
  append(row: EventRow, previousSegment: number): void {
    if (!this.previous.has(row.ordinal)) this.previous.set(row.ordinal, previousSegment);
    this.restore(row);
  }

  /** Appends the next row of a sealed segment. */
  restore(row: EventRow): void {
    const at = this.rows;
    if (at === this.#columns.ordinals.length) {
      this.#columns = this.#columns.grownTo(Math.max(INITIAL_CAPACITY, 2 * at));
    }
    this.rows += 1;
    this.#columns.ordinals[at] = row.ordinal;
    this.#columns.partitions[at] = this.#indexOfPartition(row.partition);
    this.#columns.lines[at] = row.line;
    this.#columns.bytes[at] = row.bytes;
    this.#columns.offsets[at] = row.offset;
    this.#columns.receivedAt[at] = row.receivedAtMicros;
    this.#columns.eventTimes[at] = row.eventTimeMs;
    if (row.weight !== 1) this.weights = (this.weights ?? new Map<number, number>()).set(at, row.weight);
    if (row.repeats === undefined) return;
    this.repeats = (this.repeats ?? new Map<number, EventId>()).set(at, row.repeats);
    const counted = readWith(row);
    if (counted === undefined) return;
    this.readWith.set(at, counted);
    this.reachesBackTo = Math.min(this.reachesBackTo, counted.receivedAtMicros);
  }

  #indexOfPartition(partition: Partition): number {
    let index = this.#partitionIndexes.get(partition.folder);
    if (index === undefined) {
      index = this.partitions.push(partition) - 1;
      this.#partitionIndexes.set(partition.folder, index);
    }
    return index;
  }

  row(index: number): EventRow | undefined {
    const partition = index < this.rows ? this.partitions[this.#columns.partitions[index] ?? -1] : undefined;
    if (partition === undefined) return undefined;
    return new SegmentRow(this, index, partition);
  }

  /** Index of a row's partition in `partitions`. */
  partitionAt(index: number): number {
    return this.#columns.partitions[index] ?? -1;
  }

  ordinalAt(index: number): number {
    return this.#columns.ordinals[index] ?? -1;
  }

  lineAt(index: number): number {
    return this.#columns.lines[index] ?? 0;
  }

  offsetAt(index: number): number {
    return this.#columns.offsets[index] ?? 0;
  }

  bytesAt(index: number): number {
    return this.#columns.bytes[index] ?? 0;
  }

  receivedAtMicrosAt(index: number): number {
    return this.#columns.receivedAt[index] ?? 0;
  }

  eventTimeMsAt(index: number): number {
    return this.#columns.eventTimes[index] ?? 0;
  }

  /** Occurrences that a row counts for. */
  weightAt(index: number): number {
    return this.weights?.get(index) ?? 1;
  }

  /** Index of the first row received at `micros` or later; `rows` if all are older. */
  rowIndexAt(micros: number): number {
    return firstNotBefore(this.rows, (index) => this.receivedAtMicrosAt(index) < micros);
  }

  /** Index of the newest row of an issue before `end`; -1 if none. */
  lastRowOf(ordinal: number, end = this.rows): number {
    return end <= 0 ? -1 : this.#columns.ordinals.subarray(0, this.rows).lastIndexOf(ordinal, end - 1);
  }

  /** Index of the oldest row of an issue; -1 if none. */
  firstRowOf(ordinal: number): number {
    return this.#columns.ordinals.subarray(0, this.rows).indexOf(ordinal);
  }

  /** Row index of an event id; -1 if it is not here. */
  rowIndexOf(id: EventIdParts): number {
    const receivedAt = this.#columns.receivedAt.subarray(0, this.rows);
    const start = receivedAt.indexOf(id.receivedAtMicros);
    const last = receivedAt.lastIndexOf(id.receivedAtMicros);
    for (let index = start; index >= 0 && index <= last; index += 1) {
      const isSame = this.lineAt(index) === id.line && receivedAt[index] === id.receivedAtMicros;
      if (isSame && this.partitions[this.partitionAt(index)]?.hash === id.partitionHash) return index;
    }
    return -1;
  }

  /** Rows received after an instant, newest first. */
  rowsAfter(receivedAtMicros: number): EventRow[] {
    const rows: EventRow[] = [];
    for (let index = this.rows - 1; index >= 0; index -= 1) {
      const row = this.row(index);
      if (row === undefined || row.receivedAtMicros <= receivedAtMicros) break;
      rows.push(row);
    }
    return rows;
  }
}

/** A row of a segment. */
class SegmentRow implements EventRow {
  readonly ordinal: number;
  readonly partition: Partition;
  readonly line: number;
  readonly offset: number;
  readonly bytes: number;
  readonly receivedAtMicros: number;
  readonly eventTimeMs: number;
  readonly weight: number;
  readonly repeats: EventId | undefined;

  constructor(segment: EventSegment, index: number, partition: Partition) {
    this.ordinal = segment.ordinalAt(index);
    this.partition = partition;
    this.line = segment.lineAt(index);
    this.offset = segment.offsetAt(index);
    this.bytes = segment.bytesAt(index);
    this.receivedAtMicros = segment.receivedAtMicrosAt(index);
    this.eventTimeMs = segment.eventTimeMsAt(index);
    this.weight = segment.weightAt(index);
    this.repeats = segment.repeats?.get(index);
  }
}
