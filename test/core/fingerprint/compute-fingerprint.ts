import type { RawPayload } from '../../../core/event/raw-payload.js';
import type { Fingerprint } from '../../../core/fingerprint/fingerprint.js';
import { createGrouper } from '../../../core/fingerprint/grouper.js';
import { DEFAULT_GROUPING } from '../../../core/fingerprint/grouping-settings.js';

const DEFAULT_GROUPER = createGrouper(DEFAULT_GROUPING);

/** Groups one raw payload by the newest rules, with nothing changed in them. */
export function computeFingerprint(payload: RawPayload): Fingerprint {
  return DEFAULT_GROUPER.fingerprint(payload);
}
