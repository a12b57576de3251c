import type { ValidateFunction } from 'ajv/dist/2020.js';
import { compilePayloadCheck } from '../../generated/compiled-payload-check.js';
import type { PayloadLimits } from './payload-limits.js';
import type { PayloadRejection } from './payload-rejection.js';
import type { RawPayload } from './raw-payload.js';

/** Tells whether a value has the 17 keys of a payload with their types; it does not look for further keys. */
export type PayloadCheck = ValidateFunction<RawPayload>;

/** Builds the check: of the types alone, or with `limits` also of the lengths of top-level strings and tag values. */
export function createPayloadCheck(limits?: PayloadLimits): PayloadCheck {
  const { maxStringLength = Number.POSITIVE_INFINITY, maxStackLength = Number.POSITIVE_INFINITY } = limits ?? {};
  return compilePayloadCheck(maxStringLength, maxStackLength);
}

/** Why the check's last value failed. */
export function rejectionOf(check: PayloadCheck): PayloadRejection {
  const error = check.errors?.[0];
  return { field: error?.instancePath ?? '', code: 'EVENT_INVALID', reason: error?.message ?? 'must be a payload' };
}
