import type { EventId, FingerprintValue, IssueId } from '../event/ids.js';
import type { GroupedPayload, RawPayload } from '../event/raw-payload.js';
import type { Grouping } from '../fingerprint/fingerprint.js';

/** A payload that a receiver has validated, on its way through the processors. */
export interface ReceivedEvent {
  readonly payload: RawPayload;
  /**
   * The bytes of the raw line, without newline, when the sender's own bytes already are one (all 17 keys in order).
   * Absent: the store encodes `payload`. A component that changes the payload makes a new event without it.
   */
  readonly encoded?: Uint8Array;
  /** How a processor has grouped the payload already. Absent: the store groups it. A component that changes the payload makes a new event without it. */
  readonly grouping?: KnownGrouping;
}

/** A grouping, and by what it was made. */
export interface KnownGrouping {
  /** The grouper's; where the store groups by another one, the grouping does not count. */
  readonly key: string;
  readonly fingerprint: Grouping;
}

/**
 * A received event together with what groups it; what the store takes. Once its raw line is encoded, little of the payload is asked for, and the rest
 * should go: a batch waits for the disk, and what it holds is what the garbage collector has to move.
 */
export type FingerprintedEvent = {
  readonly fingerprint: Grouping;
} & (
  | { readonly payload: RawPayload; readonly encoded?: undefined }
  | { readonly payload: GroupedPayload; readonly encoded: Uint8Array }
);

/** Where an event's raw line lies. */
export interface RawAddress {
  /** Absolute path of the `raw.ndjson`. */
  readonly path: string;
  /** Zero-based line number in that file. */
  readonly line: number;
}

/** What is known of an event once its raw line is durable. */
export interface StoredEvent {
  readonly event_id: EventId;
  readonly issue_id: IssueId;
  readonly fingerprint: FingerprintValue;
  readonly raw: RawAddress;
}
