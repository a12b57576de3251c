import type { EventId, FingerprintValue, IssueId } from '../event/ids.js';
import type { GroupedPayload, RawPayload } from '../event/raw-payload.js';
import type { GroupingResult } from '../fingerprint/fingerprint.js';

/** Who sent an event: `token` an accepted token or a configured key, `local` a process of this machine without one, `anonymous` anyone else. */
export type SenderOrigin = 'token' | 'local' | 'anonymous';

/** A payload that a receiver has validated, on its way through the processors. */
export interface ReceivedEvent {
  readonly payload: RawPayload;
  /**
   * The raw line without newline, if the sender's bytes already are one (all 17 keys, in any order). Missing: the store encodes `payload`.
   * A component that changes the payload drops this and `grouping`.
   */
  readonly encoded?: Uint8Array;
  /** Set by a processor that grouped the payload. Missing: the store groups it. */
  readonly grouping?: KnownGrouping;
}

/** A grouping and the key of the grouper that made it; the store ignores it if its own grouper has another key. */
export interface KnownGrouping {
  readonly key: string;
  readonly fingerprint: GroupingResult;
}

/** A received event with its grouping, as the store accepts it. Large fields are dropped once the raw line is encoded: a batch waits for the disk and would hold them. */
export type FingerprintedEvent = {
  readonly fingerprint: GroupingResult;
} & (
  | { readonly payload: RawPayload; readonly encoded?: undefined }
  | { readonly payload: GroupedPayload; readonly encoded: Uint8Array }
);

/** The address of an event's raw line. */
export interface RawAddress {
  /** Absolute path of the `raw.ndjson`. */
  readonly path: string;
  /** Zero-based line number in that file. */
  readonly line: number;
}

/** An event whose raw line is durable. */
export interface StoredEvent {
  readonly event_id: EventId;
  readonly issue_id: IssueId;
  readonly fingerprint: FingerprintValue;
  readonly raw: RawAddress;
}
