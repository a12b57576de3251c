import type { RawPayload } from '../../../event/raw-payload.js';
import type { GroupingResult } from '../../../fingerprint/fingerprint.js';
import type { StoredFingerprint } from '../../record/commits/commit-record.js';
import type { CommittedEvent } from '../../record/commits/committed-event.js';

/** The payload fields that the index counts; of `extra` only the weight. */
type CountedPayload = Pick<
  RawPayload,
  'app' | 'env' | 'extra' | 'level' | 'release' | 'service' | 'stack' | 'status_code' | 'timestamp' | 'user_id'
>;

/** What the index needs to count an event. */
export interface IndexedFailure {
  readonly payload: CountedPayload;
  readonly fingerprint: StoredFingerprint;
}

/** With what a new issue needs in addition; of `message` only the first 512 UTF-16 units are used. */
export interface DescribedFailure extends IndexedFailure {
  readonly payload: CountedPayload & Pick<RawPayload, 'error_name' | 'message'>;
  readonly fingerprint: GroupingResult;
}

/** An event for the index; every `CommittedEvent` is one. */
export interface IndexedEvent extends Omit<CommittedEvent, 'eventId' | 'event'> {
  readonly event: IndexedFailure | DescribedFailure;
}

/** Whether an issue can be created from it. */
export function isDescribed(failure: IndexedFailure | DescribedFailure): failure is DescribedFailure {
  return 'title' in failure.fingerprint;
}
