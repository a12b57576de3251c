import type { EventId } from '../../event/ids.js';

/** Sealed segments and the events in them: what a manifest can promise once they are on disk. */
export interface SealedExtent {
  /** Segments numbered below this are sealed. */
  readonly segments: number;
  readonly events: number;
  /** `received_at` of the last of these events, 0 when there is none. */
  readonly cursorMicros: number;
  readonly lastEventId: EventId | null;
  /** Segments numbered below this hold nothing that retention did not remove, and are not read any more. */
  readonly firstSegment: number;
  /** How many of these events retention removed. */
  readonly removedEvents: number;
  /** Rows received before this instant were removed, 0 when none were. */
  readonly beforeMicros: number;
}

/** What can be promised before the first event. */
export const NOTHING_SEALED: SealedExtent = {
  segments: 0,
  events: 0,
  cursorMicros: 0,
  lastEventId: null,
  firstSegment: 0,
  removedEvents: 0,
  beforeMicros: 0,
};
