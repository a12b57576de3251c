import type { StoredFingerprint } from './commit-fingerprints.js';
import type { CommitRecord } from './commit-record.js';
import type { Partition } from './partition.js';

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

/**
 * A commit record whose lines nobody has read yet. Those of a replay are taken in their order, each once: by `read`, or by `accept` where somebody
 * else read its lines.
 */
export interface UnreadCommit {
  readonly partition: Partition;
  /** Absolute path of the file that holds the lines. */
  readonly path: string;
  readonly record: CommitRecord;
  /** True once bytes before these turned out not to be there: then nothing of it counts. */
  readonly isGone: boolean;
  /** Reads, checks and reports; empty where nothing of it counts. */
  read(): Promise<readonly ReplayedLine[]>;
  /** Says that its bytes were read elsewhere and match its checksum; reports what its record alone tells. */
  accept(): void;
}

/** The commit records of one `received_at`, in order of arrival (partition folder, line). */
export interface UnreadInstant {
  readonly receivedAtMicros: number;
  readonly commits: readonly UnreadCommit[];
}
