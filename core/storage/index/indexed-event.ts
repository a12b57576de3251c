import type { RawPayload } from '../../event/raw-payload.js';
import type { Fingerprint } from '../../fingerprint/fingerprint.js';
import type { Partition } from '../record/partition.js';

/**
 * The fields of a payload that the index counts or keeps. It looks at the first 512 UTF-16 units of `message`, the first one of `stack`, and at
 * whether `status_code` is null: the rest of these may be cut.
 */
export type IndexedPayload = Pick<
  RawPayload,
  'app' | 'env' | 'error_name' | 'level' | 'message' | 'release' | 'service' | 'stack' | 'status_code' | 'timestamp'
>;

/** What groups and counts an event. */
export interface IndexedFailure {
  readonly payload: IndexedPayload;
  readonly fingerprint: Pick<Fingerprint, 'value' | 'version' | 'title' | 'culprit'>;
}

/** An event as the index takes it; every `CommittedEvent` is one. */
export interface IndexedEvent {
  readonly event: IndexedFailure;
  readonly partition: Partition;
  /** Zero-based line in the partition's `raw.ndjson`. */
  readonly line: number;
  /** Byte offset of the line in the file. */
  readonly offset: number;
  /** Bytes of the line without its newline. */
  readonly bytes: number;
  /** Microseconds since the epoch. */
  readonly receivedAtMicros: number;
}
