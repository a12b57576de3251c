import type { RawPayload } from '../../../core/event/raw-payload.js';
import type { Fingerprint } from '../../../core/fingerprint/fingerprint.js';
import { createGrouper } from '../../../core/fingerprint/grouper.js';
import { DEFAULT_GROUPING } from '../../../core/fingerprint/grouping-settings.js';

const DEFAULT_GROUPER = createGrouper(DEFAULT_GROUPING);

/** Groups a raw payload by the latest built-in rules. */
export function computeFingerprint(payload: RawPayload): Fingerprint {
  return DEFAULT_GROUPER.fingerprint(payload);
}
