import type { RawAddress } from '../../contract/stages.js';
import type { FingerprintValue, IssueId } from '../../event/ids.js';
import type { NormalizedEvent } from '../../event/normalized-event.js';
import type { RawPayload } from '../../event/raw-payload.js';

/** How a record is followed. */
export interface FollowOptions {
  /** Names the cursor: `<root>/cursors/<name, percent-encoded>.json`. One follower at a time has it. */
  readonly name: string;
  /** Where one begins that has no cursor yet: with the oldest event that is kept, or with the next one that arrives. */
  readonly startAt: 'beginning' | 'end';
  /** For how long retention waits for it, in milliseconds from when an hour is due; 0: not at all. */
  readonly holdMs: number;
  /** Whether the cursor is kept over a restart, default true. */
  readonly isDurable?: boolean;
}

/** A place between two events of the record, in order of arrival. */
export interface FollowPosition {
  /** The instant of which events were taken last, microseconds since the epoch. */
  readonly receivedAtMicros: number;
  /** How many events of that instant were taken. */
  readonly taken: number;
  /** Events that ever came before it, those included that retention removed. */
  readonly passed: number;
}

/** One event of the record. */
export interface FollowedEvent {
  readonly issueId: IssueId;
  readonly fingerprint: FingerprintValue;
  readonly payload: RawPayload;
  /** Holds the event's id. */
  readonly normalized: NormalizedEvent;
  readonly receivedAtMicros: number;
  readonly raw: RawAddress;
  /** Right after it. */
  readonly after: FollowPosition;
}

/** Events that follow each other. */
export interface FollowedBatch {
  /** Empty only where nothing is to come: `signal` was aborted, or the follower is closed. */
  readonly events: readonly FollowedEvent[];
  /** After the last of them, and after what could not be read behind it. */
  readonly after: FollowPosition;
}

/** How far a follower is. */
export interface FollowStatus {
  /** Events after the last position that was committed; exact, unless hours were moved away by hand, and then again once it has caught up. */
  readonly waiting: number;
  /** Receipt of the oldest of them, microseconds since the epoch; undefined where none waits. */
  readonly oldestMicros: number | undefined;
  /** Events that retention removed before they were taken, as far as this process saw it. */
  readonly removed: number;
  /** Events whose raw lines could not be read, which were passed over; likewise. */
  readonly unreadable: number;
  /** Whether retention keeps hours for it that it would remove otherwise. */
  readonly isHeldFor: boolean;
}

/** How much is taken at once. */
export interface NextOptions {
  /** Most events, at least 1. */
  readonly maxEvents: number;
  /** Bytes of raw lines after which it takes no more, default 4 MiB: one event is given whatever its size. */
  readonly maxBytes?: number;
  /** How long the first event waits for more, in milliseconds. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/**
 * Gives the events of a store one batch after the other, in order of arrival, each only once it is durable. Nothing is kept for it in memory but the
 * batch that is asked for. Calls must not overlap, but for `status`.
 */
export interface RecordFollower {
  /**
   * What comes after the batch before; waits where nothing does. What cannot be read is passed over, told and counted. Rejects with Fault
   * `INDEX_UNUSABLE`, or with the system's error; the next call begins at the same place.
   */
  next(options: NextOptions): Promise<FollowedBatch>;
  /** Makes durable that everything before a position is done; a start after a crash goes on there. Rejects with the system's error: the next commit makes up for it. */
  commit(position: FollowPosition): Promise<void>;
  status(): FollowStatus;
  /** Ends a `next` that waits, and lets retention go on; the cursor stays. Safe twice. */
  close(): Promise<void>;
}
