import type { JsonValue } from '../../../core/event/json.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import type { BasisPart, Fingerprint } from '../../../core/fingerprint/fingerprint.js';
import { createGrouper } from '../../../core/fingerprint/grouper.js';
import { DEFAULT_GROUPING } from '../../../core/fingerprint/grouping-settings.js';

const DEFAULT_GROUPER = createGrouper(DEFAULT_GROUPING);

/** Groups a raw payload by the latest built-in rules. */
export function computeFingerprint(payload: RawPayload): Fingerprint {
  return DEFAULT_GROUPER.fingerprint(payload);
}

/** The first part of this name, used or not. */
export function partOf({ basis }: Fingerprint, name: string): BasisPart | undefined {
  return basis.parts.find(({ part }) => part === name);
}

/** The frames that decide, as the basis names them. */
export function decidingFrames(fingerprint: Fingerprint): JsonValue | undefined {
  return partOf(fingerprint, 'frames')?.value;
}
