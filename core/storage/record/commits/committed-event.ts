import type { FingerprintedEvent } from '../../../contract/stages.js';
import type { EventId } from '../../../event/ids.js';
import type { Partition } from '../partitions/partition-path.js';

/** An event whose raw line and commit record are durable. */
export interface CommittedEvent {
  readonly eventId: EventId;
  readonly event: FingerprintedEvent;
  readonly partition: Partition;
  /** Zero-based line in the partition's `raw.ndjson`. */
  readonly line: number;
  /** In bytes. */
  readonly offset: number;
  /** Bytes of the line without its newline. */
  readonly bytes: number;
  /** Microseconds since the epoch, strictly increasing from commit to commit. */
  readonly receivedAtMicros: number;
}
