import type { Partition } from '../partitions/partition-path.js';
import type { StoredFingerprint } from './commit-record.js';

/** One line of the record as replay gives it. */
export interface ReplayedLine {
  readonly partition: Partition;
  /** Zero-based. */
  readonly line: number;
  /** Byte offset in the partition's `raw.ndjson`. */
  readonly offset: number;
  /** Bytes of the line without its newline. */
  readonly bytes: number;
  /** The line without its newline. Part of a large portion: copy it to keep it. */
  readonly rawLine: Buffer;
  /** What grouped the line when it arrived; undefined where the record does not say. */
  readonly fingerprint: StoredFingerprint | undefined;
}

/** Everything of one `received_at`, in order of arrival (partition folder, line). */
export interface ReplayedCommit {
  readonly receivedAtMicros: number;
  readonly events: readonly ReplayedLine[];
}
