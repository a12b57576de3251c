import type { EventRow, EventSegment } from '../index/segments/event-segment.js';
import type { Partition } from '../record/partitions/partition-path.js';

/** One row of a segment after the other, without an object for each. */
export class RowView implements EventRow {
  segment: EventSegment | undefined;
  place = 0;

  get ordinal(): number {
    return this.segment?.ordinalAt(this.place) ?? -1;
  }

  get partition(): Partition {
    const partition = this.segment?.partitions[this.segment.partitionAt(this.place)];
    if (partition === undefined) throw new Error(`There is no row ${this.place} to look at.`);
    return partition;
  }

  get line(): number {
    return this.segment?.lineAt(this.place) ?? 0;
  }

  get offset(): number {
    return this.segment?.offsetAt(this.place) ?? 0;
  }

  get bytes(): number {
    return this.segment?.bytesAt(this.place) ?? 0;
  }

  get receivedAtMicros(): number {
    return this.segment?.receivedAtMicrosAt(this.place) ?? 0;
  }

  get eventTimeMs(): number {
    return this.segment?.eventTimeMsAt(this.place) ?? 0;
  }

  get weight(): number {
    return this.segment?.weightAt(this.place) ?? 1;
  }
}
