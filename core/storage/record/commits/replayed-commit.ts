import type { Partition } from '../partitions/partition-path.js';
import { type CommitRecord, fingerprintAt, type StoredFingerprint } from './commit-record.js';
import type { CommittedEvent } from './committed-event.js';

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

interface CommitLines {
  readonly partition: Partition;
  readonly record: CommitRecord;
  readonly bytes: Buffer;
  /** As of `lineStarts`. */
  readonly starts: Uint32Array;
}

/** A line that is sliced from its commit on access: many wait in a replay, and a Buffer for each would use most of the memory. */
export class CommitLine implements ReplayedLine {
  readonly partition: Partition;
  readonly line: number;
  readonly offset: number;
  readonly bytes: number;
  readonly #commit: CommitLines;
  readonly #index: number;

  constructor(commit: CommitLines, index: number) {
    const { partition, record, starts } = commit;
    const start = starts[index] ?? 0;
    this.partition = partition;
    this.line = record.line + index;
    this.offset = record.offset + start;
    this.bytes = (starts[index + 1] ?? 0) - start - 1;
    this.#commit = commit;
    this.#index = index;
  }

  get rawLine(): Buffer {
    const { bytes, record } = this.#commit;
    const start = this.offset - record.offset;
    return bytes.subarray(start, start + this.bytes);
  }

  get fingerprint(): StoredFingerprint | undefined {
    const { fingerprints } = this.#commit.record;
    return typeof fingerprints === 'object' ? fingerprintAt(fingerprints, this.#index) : undefined;
  }
}
