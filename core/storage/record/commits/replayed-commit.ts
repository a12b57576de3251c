import type { Partition } from '../partitions/partition-path.js';
import type { StoredFingerprint } from './commit-record.js';

/** One line of the record during a replay. */
export interface ReplayedLine {
  readonly partition: Partition;
  /** Zero-based. */
  readonly line: number;
  /** Byte offset in the partition's `raw.ndjson`. */
  readonly offset: number;
  /** Bytes of the line without its newline. */
  readonly bytes: number;
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
