import type { RawAddress } from '../../contract/stages.js';
import type { EventId, FingerprintValue, IssueId } from '../../event/ids.js';
import type { NormalizedEvent } from '../../event/normalized-event.js';
import type { RawPayload } from '../../event/raw-payload.js';

export interface FollowerOptions {
  /** Cursor name: `<root>/cursors/<name, percent-encoded>.json`. Only one follower at a time may use it. */
  readonly name: string;
  /** Where a follower without a cursor begins: at the oldest stored event, or at the next one received. */
  readonly startAt: 'beginning' | 'end';
  /** How long retention waits for the follower after an hour is due, milliseconds; 0: not at all. */
  readonly holdMs: number;
  /** Whether the cursor survives a restart, default true. */
  readonly isDurable?: boolean;
}

/** A position between two events of the record, in order of arrival. */
export interface FollowPosition {
  /** Receipt of the last event before it, microseconds since the epoch. */
  readonly receivedAtMicros: number;
  /** Events of that instant before it. */
  readonly taken: number;
  /** All events before it, removed ones included. */
  readonly passed: number;
}

export interface FollowedEvent {
  readonly issueId: IssueId;
  readonly fingerprint: FingerprintValue;
  readonly payload: RawPayload;
  /** With the event's id. */
  readonly normalized: NormalizedEvent;
  readonly receivedAtMicros: number;
  readonly raw: RawAddress;
  /** Position after this event. */
  readonly after: FollowPosition;
}

/** An event as it is in the record. */
export interface FollowedLine {
  readonly eventId: EventId;
  readonly issueId: IssueId;
  /** The raw line without newline. */
  readonly line: Buffer;
  /** Position after this event. */
  readonly after: FollowPosition;
}

export interface FollowedBatch<Item = FollowedEvent> {
  /** Empty only if `signal` aborted or the follower is closed. */
  readonly events: readonly Item[];
  /** After the last event, and after unreadable ones behind it. */
  readonly after: FollowPosition;
}

export interface FollowStatus {
  /** Everything before it is done. */
  readonly committed: FollowPosition;
  /** Events after the committed position; exact, unless hours were moved away by hand and it has not caught up yet. */
  readonly waiting: number;
  /** Receipt of the oldest waiting event, microseconds since the epoch; undefined if none waits. */
  readonly oldestMicros: number | undefined;
  /** Events that retention removed before their delivery, since this process started. */
  readonly removed: number;
  /** Skipped events whose raw lines could not be read, since this process started. */
  readonly unreadable: number;
  /** Whether retention holds due hours for it. */
  readonly isHeldFor: boolean;
}

export interface NextOptions {
  /** At least 1. */
  readonly maxEvents: number;
  /** Bytes of raw lines, default 4 MiB; a batch has at least one event. */
  readonly maxBytes?: number;
  /** How long the first event waits for more, milliseconds. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** Delivers the durable events of a store in batches, in order of arrival. Only calls of `status` may overlap. */
export interface RecordFollower {
  /** Returns the next batch, or waits for it. Rejects with `INDEX_UNUSABLE` or the system's error; the next call retries. */
  next(options: NextOptions): Promise<FollowedBatch>;
  /** As `next`, without decoding the events. */
  nextLines(options: NextOptions): Promise<FollowedBatch<FollowedLine>>;
  /** Reads again from a position on, also one before the committed position. */
  rewind(position: FollowPosition): Promise<void>;
  /** Stores that everything before a position is done. Rejects with the system's error; the next commit covers it. */
  commit(position: FollowPosition): Promise<void>;
  status(): FollowStatus;
  /** Ends a waiting `next` and releases held hours; the cursor stays. Safe to call twice. */
  close(): Promise<void>;
}
