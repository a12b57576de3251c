import type { EventRow, EventSegment } from '../index/segments/event-segment.js';
import type { Partition } from '../record/partitions/partition-path.js';

/** A view that moves over the rows of segments, without an object for each. */
export class RowView implements EventRow {
  segment: EventSegment | undefined;
  index = 0;

  get ordinal(): number {
    return this.segment?.ordinalAt(this.index) ?? -1;
  }

  get partition(): Partition {
    const partition = this.segment?.partitions[this.segment.partitionAt(this.index)];
    if (partition === undefined) throw new Error(`Row ${this.index} does not exist.`);
    return partition;
  }

  get line(): number {
    return this.segment?.lineAt(this.index) ?? 0;
  }

  get offset(): number {
    return this.segment?.offsetAt(this.index) ?? 0;
  }

  get bytes(): number {
    return this.segment?.bytesAt(this.index) ?? 0;
  }

  get receivedAtMicros(): number {
    return this.segment?.receivedAtMicrosAt(this.index) ?? 0;
  }

  get eventTimeMs(): number {
    return this.segment?.eventTimeMsAt(this.index) ?? 0;
  }

  get weight(): number {
    return this.segment?.weightAt(this.index) ?? 1;
  }
}
