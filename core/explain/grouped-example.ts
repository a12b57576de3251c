import type { EventId, IssueId } from '../event/ids.js';
import type { RawPayload } from '../event/raw-payload.js';
import type { Fingerprint } from '../fingerprint/fingerprint.js';

/** An event of a comparison, with its current grouping. */
export interface GroupedExample {
  /** The requested id, of an event or an issue. */
  readonly id: string;
  readonly eventId: EventId;
  /** The issue that contains it, after merges. */
  readonly issueId: IssueId;
  readonly payload: RawPayload;
  readonly fingerprint: Fingerprint;
}
