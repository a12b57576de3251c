import type { EventIdParts } from '../../record/partitions/event-id.js';
import type { Partition } from '../../record/partitions/partition-path.js';

/** Where one event lies and when it came and happened. */
export interface EventRow {
  /** Ordinal of its issue. */
  readonly ordinal: number;
  readonly partition: Partition;
  readonly line: number;
  readonly offset: number;
  readonly bytes: number;
  readonly receivedAtMicros: number;
  /** Event time, rounded down to milliseconds. */
  readonly eventTimeMs: number;
  /** For how many events it counts, itself included: 1 unless a processor samples. */
  readonly weight: number;
}

/** Rows of a segment that is sealed as soon as it can be. */
const INITIAL_CAPACITY = 512;

/**
 * A run of events in order of arrival. It grows row by row until it is sealed, and then never changes.
 * For each of its issues it knows the segment before it that holds events of the same issue, so that an issue's events are found by walking back.
 */
export class EventSegment {
  readonly number: number;
  readonly #partitions: Partition[] = [];
  readonly #partitionPlaces = new Map<string, number>();
  #previous: Map<number, number> | (() => Map<number, number>) = new Map();
  #rows = 0;
  /** By place, of the rows that count for more than one event: there may be millions that do not. */
  #weights: Map<number, number> | undefined;
  #columns: Columns;

  /** `capacity`: rows that there is room for before it grows. */
  constructor(number: number, capacity = INITIAL_CAPACITY) {
    this.number = number;
    this.#columns = createColumns(capacity);
  }

  /** A sealed segment whose rows `restore` brings back; `previous` is asked for when it is needed, which most scans never do. */
  static sealed(number: number, rows: number, previous: () => Map<number, number>): EventSegment {
    const segment = new EventSegment(number, rows);
    segment.#previous = previous;
    return segment;
  }

  get rows(): number {
    return this.#rows;
  }

  get firstReceivedAtMicros(): number {
    return this.#columns.receivedAt[0] ?? 0;
  }

  get lastReceivedAtMicros(): number {
    return this.#columns.receivedAt[this.#rows - 1] ?? 0;
  }

  /** Issues in it with the number of the segment before that holds them, in order of first row. */
  get previous(): ReadonlyMap<number, number> {
    return this.#previousSegments();
  }

  #previousSegments(): Map<number, number> {
    if (typeof this.#previous === 'function') this.#previous = this.#previous();
    return this.#previous;
  }

  /** `previousSegment` counts for the first row of an issue only. */
  append(row: EventRow, previousSegment: number): void {
    const previous = this.#previousSegments();
    if (!previous.has(row.ordinal)) previous.set(row.ordinal, previousSegment);
    this.restore(row);
  }

  /** Brings back the next row of a sealed segment. */
  restore(row: EventRow): void {
    const at = this.#rows;
    if (at === this.#columns.ordinals.length) this.#grow();
    this.#rows += 1;
    this.#columns.ordinals[at] = row.ordinal;
    this.#columns.partitionOf[at] = this.#placeOf(row.partition);
    this.#columns.lines[at] = row.line;
    this.#columns.bytes[at] = row.bytes;
    this.#columns.offsets[at] = row.offset;
    this.#columns.receivedAt[at] = row.receivedAtMicros;
    this.#columns.eventTimes[at] = row.eventTimeMs;
    if (row.weight > 1) this.#weigh(at, row.weight);
  }

  #weigh(place: number, weight: number): void {
    this.#weights ??= new Map();
    this.#weights.set(place, weight);
  }

  #placeOf(partition: Partition): number {
    // Rows of one partition come in a row.
    const latest = this.#columns.partitionOf[this.#rows - 2];
    if (latest !== undefined && this.#partitions[latest] === partition) return latest;
    let place = this.#partitionPlaces.get(partition.folder);
    if (place === undefined) {
      place = this.#partitions.push(partition) - 1;
      this.#partitionPlaces.set(partition.folder, place);
    }
    return place;
  }

  #grow(): void {
    const columns = createColumns(Math.max(INITIAL_CAPACITY, 2 * this.#rows));
    columns.ordinals.set(this.#columns.ordinals);
    columns.partitionOf.set(this.#columns.partitionOf);
    columns.lines.set(this.#columns.lines);
    columns.bytes.set(this.#columns.bytes);
    columns.offsets.set(this.#columns.offsets);
    columns.receivedAt.set(this.#columns.receivedAt);
    columns.eventTimes.set(this.#columns.eventTimes);
    this.#columns = columns;
  }

  row(place: number): EventRow | undefined {
    const partition = place < this.#rows ? this.#partitions[this.#columns.partitionOf[place] ?? -1] : undefined;
    if (partition === undefined) return undefined;
    return {
      ordinal: this.ordinalAt(place),
      partition,
      line: this.#columns.lines[place] ?? 0,
      offset: this.#columns.offsets[place] ?? 0,
      bytes: this.#columns.bytes[place] ?? 0,
      receivedAtMicros: this.#columns.receivedAt[place] ?? 0,
      eventTimeMs: this.#columns.eventTimes[place] ?? 0,
      weight: this.weightAt(place),
    };
  }

  /** Its partitions; rows name them by place. */
  get partitions(): readonly Partition[] {
    return this.#partitions;
  }

  /** Place of a row's partition in `partitions`. */
  partitionAt(place: number): number {
    return this.#columns.partitionOf[place] ?? -1;
  }

  ordinalAt(place: number): number {
    return this.#columns.ordinals[place] ?? -1;
  }

  lineAt(place: number): number {
    return this.#columns.lines[place] ?? 0;
  }

  offsetAt(place: number): number {
    return this.#columns.offsets[place] ?? 0;
  }

  bytesAt(place: number): number {
    return this.#columns.bytes[place] ?? 0;
  }

  receivedAtMicrosAt(place: number): number {
    return this.#columns.receivedAt[place] ?? 0;
  }

  eventTimeMsAt(place: number): number {
    return this.#columns.eventTimes[place] ?? 0;
  }

  /** For how many events a row counts. */
  weightAt(place: number): number {
    return this.#weights?.get(place) ?? 1;
  }

  /** Places of the rows that count for more than one event, ascending, with their weights. */
  get weights(): ReadonlyMap<number, number> | undefined {
    return this.#weights;
  }

  /** Place of the oldest row that was not received before an instant; the number of rows when there is none. */
  placeReceivedAt(micros: number): number {
    let low = 0;
    let high = this.rows;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.receivedAtMicrosAt(middle) < micros) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Place of the newest row of an issue before `end`; -1 when there is none. */
  lastRowOf(ordinal: number, end = this.rows): number {
    return end <= 0 ? -1 : this.#columns.ordinals.subarray(0, this.#rows).lastIndexOf(ordinal, end - 1);
  }

  /** Place of the oldest row of an issue; -1 when there is none. */
  firstRowOf(ordinal: number): number {
    return this.#columns.ordinals.subarray(0, this.#rows).indexOf(ordinal);
  }

  /** Place of the event with these parts of an id; -1 when it is not here. */
  placeOf(id: EventIdParts): number {
    const receivedAt = this.#columns.receivedAt.subarray(0, this.#rows);
    const start = receivedAt.indexOf(id.receivedAtMicros);
    const last = receivedAt.lastIndexOf(id.receivedAtMicros);
    for (let place = start; place >= 0 && place <= last; place += 1) {
      const row = this.row(place);
      const isSame = row?.line === id.line && row.partition.hash === id.partitionHash;
      if (isSame && row.receivedAtMicros === id.receivedAtMicros) return place;
    }
    return -1;
  }

  /** The newest rows, back to the last one that was not received after that instant. */
  rowsAfter(receivedAtMicros: number): EventRow[] {
    const rows: EventRow[] = [];
    for (let place = this.rows - 1; place >= 0; place -= 1) {
      const row = this.row(place);
      if (row === undefined || row.receivedAtMicros <= receivedAtMicros) break;
      rows.push(row);
    }
    return rows;
  }
}

/** By place of row. */
interface Columns {
  readonly ordinals: Int32Array;
  readonly partitionOf: Int32Array;
  readonly lines: Int32Array;
  readonly bytes: Int32Array;
  readonly offsets: Float64Array;
  readonly receivedAt: Float64Array;
  readonly eventTimes: Float64Array;
}

/** Typed, so that the garbage collector has nothing to walk through, and in one piece of memory: scans read very many segments. */
function createColumns(rows: number): Columns {
  const memory = new ArrayBuffer(rows * (3 * Float64Array.BYTES_PER_ELEMENT + 4 * Int32Array.BYTES_PER_ELEMENT));
  let used = 0;
  const place = (bytes: number): number => {
    used += rows * bytes;
    return used - rows * bytes;
  };
  const wide = (): Float64Array => new Float64Array(memory, place(Float64Array.BYTES_PER_ELEMENT), rows);
  const numbers = (): Int32Array => new Int32Array(memory, place(Int32Array.BYTES_PER_ELEMENT), rows);
  // The wide ones first: they begin at multiples of their width.
  return {
    offsets: wide(),
    receivedAt: wide(),
    eventTimes: wide(),
    ordinals: numbers(),
    partitionOf: numbers(),
    lines: numbers(),
    bytes: numbers(),
  };
}
