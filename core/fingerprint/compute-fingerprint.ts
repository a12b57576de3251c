import type { RawPayload } from '../event/raw-payload.js';
import type { Fingerprint } from './fingerprint.js';
import { createGrouper } from './grouper.js';
import { DEFAULT_GROUPING } from './grouping-settings.js';

const DEFAULT_GROUPER = createGrouper(DEFAULT_GROUPING);

/** Groups one raw payload by the newest rules, with nothing changed in them. */
export function computeFingerprint(payload: RawPayload): Fingerprint {
  return DEFAULT_GROUPER.fingerprint(payload);
}
