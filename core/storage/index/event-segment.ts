import type { EventIdParts } from '../record/event-id.js';
import type { Partition } from '../record/partition.js';

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
}

/**
 * A run of events in order of arrival. It grows row by row until it is sealed, and then never changes.
 * For each of its issues it knows the segment before it that holds events of the same issue, so that an issue's events are found by walking back.
 */
export class EventSegment {
  readonly number: number;
  readonly #partitions: Partition[] = [];
  readonly #partitionPlaces = new Map<string, number>();
  readonly #previous = new Map<number, number>();
  readonly #ordinals: number[] = [];
  readonly #partitionOf: number[] = [];
  readonly #lines: number[] = [];
  readonly #offsets: number[] = [];
  readonly #bytes: number[] = [];
  readonly #receivedAt: number[] = [];
  readonly #eventTimes: number[] = [];

  constructor(number: number) {
    this.number = number;
  }

  get rows(): number {
    return this.#ordinals.length;
  }

  get firstReceivedAtMicros(): number {
    return this.#receivedAt[0] ?? 0;
  }

  get lastReceivedAtMicros(): number {
    return this.#receivedAt.at(-1) ?? 0;
  }

  /** Issues in it with the number of the segment before that holds them, in order of first row. */
  get previous(): ReadonlyMap<number, number> {
    return this.#previous;
  }

  /** `previousSegment` counts for the first row of an issue only. */
  append(row: EventRow, previousSegment: number): void {
    if (!this.#previous.has(row.ordinal)) this.#previous.set(row.ordinal, previousSegment);
    let place = this.#partitionPlaces.get(row.partition.folder);
    if (place === undefined) {
      place = this.#partitions.push(row.partition) - 1;
      this.#partitionPlaces.set(row.partition.folder, place);
    }
    this.#ordinals.push(row.ordinal);
    this.#partitionOf.push(place);
    this.#lines.push(row.line);
    this.#offsets.push(row.offset);
    this.#bytes.push(row.bytes);
    this.#receivedAt.push(row.receivedAtMicros);
    this.#eventTimes.push(row.eventTimeMs);
  }

  row(place: number): EventRow | undefined {
    const ordinal = this.#ordinals[place];
    const partition = this.#partitions[this.#partitionOf[place] ?? -1];
    if (ordinal === undefined || partition === undefined) return undefined;
    return {
      ordinal,
      partition,
      line: this.#lines[place] ?? 0,
      offset: this.#offsets[place] ?? 0,
      bytes: this.#bytes[place] ?? 0,
      receivedAtMicros: this.#receivedAt[place] ?? 0,
      eventTimeMs: this.#eventTimes[place] ?? 0,
    };
  }

  /** Place of the newest row of an issue before `end`; -1 when there is none. */
  lastRowOf(ordinal: number, end = this.rows): number {
    return end <= 0 ? -1 : this.#ordinals.lastIndexOf(ordinal, end - 1);
  }

  /** Place of the oldest row of an issue; -1 when there is none. */
  firstRowOf(ordinal: number): number {
    return this.#ordinals.indexOf(ordinal);
  }

  /** Place of the event with these parts of an id; -1 when it is not here. */
  placeOf(id: EventIdParts): number {
    const start = this.#receivedAt.indexOf(id.receivedAtMicros);
    const last = this.#receivedAt.lastIndexOf(id.receivedAtMicros);
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
