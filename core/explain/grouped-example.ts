import type { EventId, IssueId } from '../event/ids.js';
import type { RawPayload } from '../event/raw-payload.js';
import type { Fingerprint } from '../fingerprint/fingerprint.js';

/** An event that is compared, and how it is grouped now. */
export interface GroupedExample {
  /** What was asked for: an event's id or an issue's. */
  readonly id: string;
  readonly eventId: EventId;
  /** The issue that shows it. */
  readonly issueId: IssueId;
  readonly payload: RawPayload;
  readonly fingerprint: Fingerprint;
}
