import type { InspectedPartition } from './inspect-partitions.js';

/** An hour of the record, all its partitions together. */
export interface MeasuredHour {
  /** Hours since the epoch, UTC. */
  readonly hour: number;
  readonly partitions: number;
  /** Bytes of the raw files. */
  readonly rawBytes: number;
  /** Bytes of the commit files. */
  readonly commitBytes: number;
}

/** Number of partitions, and bytes of their raw files. */
export type RecordSize = Pick<MeasuredHour, 'partitions' | 'rawBytes'>;

/** The sizes of the hours of a record, added up as partitions are found and written. */
export class HourSizes {
  readonly #hours = new Map<number, MeasuredHour>();

  /** Oldest first. */
  get inOrder(): readonly MeasuredHour[] {
    return [...this.#hours.values()].sort((left, right) => left.hour - right.hour);
  }

  add({ hour, partitions, rawBytes, commitBytes }: MeasuredHour): void {
    const before = this.#hours.get(hour) ?? { hour, partitions: 0, rawBytes: 0, commitBytes: 0 };
    this.#hours.set(hour, {
      hour,
      partitions: before.partitions + partitions,
      rawBytes: before.rawBytes + rawBytes,
      commitBytes: before.commitBytes + commitBytes,
    });
  }

  /** Adds a partition; one whose first commit was refused is empty and does not count. */
  addPartition({
    partition,
    rawBytes,
    commitBytes,
  }: Pick<InspectedPartition, 'partition' | 'rawBytes' | 'commitBytes'>): void {
    this.add({ hour: partition.hour, partitions: rawBytes > 0 ? 1 : 0, rawBytes, commitBytes });
  }

  /** Replaces all hours before one. */
  replaceBefore(hour: number, sizes: HourSizes): void {
    this.forgetBefore(hour);
    for (const measured of sizes.inOrder) this.add(measured);
  }

  /** Begins again with hours whose size is known, and with the partitions of all later hours. */
  begin(measured: Iterable<MeasuredHour>, partitions: Iterable<InspectedPartition>): void {
    this.#hours.clear();
    for (const hour of measured) this.add(hour);
    for (const partition of partitions) this.addPartition(partition);
  }

  /** Forgets all hours before one. */
  forgetBefore(hour: number): void {
    for (const earlier of this.#hours.keys()) if (earlier < hour) this.#hours.delete(earlier);
  }

  /** The sum of all hours from one on. */
  sumFrom(hour: number): RecordSize {
    const sum = { partitions: 0, rawBytes: 0 };
    for (const measured of this.#hours.values()) {
      if (measured.hour < hour) continue;
      sum.partitions += measured.partitions;
      sum.rawBytes += measured.rawBytes;
    }
    return sum;
  }
}
