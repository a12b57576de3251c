import type { FingerprintedEvent } from '../../../contract/stages.js';
import type { EventId } from '../../../event/ids.js';
import type { Partition } from '../partitions/partition-path.js';
import type { StoredFingerprint } from './commit-record.js';

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

/** One line of the record during a replay. */
export interface ReplayedLine extends Pick<CommittedEvent, 'partition' | 'line' | 'offset' | 'bytes'> {
  /** Without its newline. Shares a large buffer: copy it to keep it. */
  readonly rawLine: Buffer;
  /** On arrival; undefined if the record does not hold it. */
  readonly fingerprint: StoredFingerprint | undefined;
}

/** Everything of one `received_at`, in order of arrival (partition folder, line). */
export interface ReplayedCommit {
  readonly receivedAtMicros: number;
  readonly events: readonly ReplayedLine[];
}
