import type { ValidateFunction } from 'ajv/dist/2020.js';
import { compilePayloadCheck } from '../../../generated/compiled-payload-check.js';
import type { RawPayload } from '../raw-payload.js';
import type { PayloadLimits } from './payload-limits.js';

/** Why one event of a batch was rejected. */
export interface PayloadRejection {
  /** JSON pointer to the invalid value; empty for the event itself. */
  readonly field: string;
  readonly code: 'EVENT_INVALID' | 'EVENT_TOO_LARGE' | 'EVENT_TOO_MANY_MEMBERS';
  /** For people, without the subject: `must be string`. */
  readonly reason: string;
}

/** The reason of `EVENT_TOO_MANY_MEMBERS`. */
export function tooManyMembers(maxMembers: number): string {
  return `has more than ${maxMembers} members of objects and elements of arrays`;
}

/** Checks that a value has the 17 keys of a payload with their types; ignores other keys. */
type PayloadCheck = ValidateFunction<RawPayload>;

/** Builds the check of the types and, with `limits`, of the lengths of top-level strings and tag values. */
export function createPayloadCheck(limits?: PayloadLimits): PayloadCheck {
  const { maxStringLength = Number.POSITIVE_INFINITY, maxStackLength = Number.POSITIVE_INFINITY } = limits ?? {};
  return compilePayloadCheck(maxStringLength, maxStackLength);
}

/** Why the last value of the check failed. */
export function rejectionOf(check: PayloadCheck): PayloadRejection {
  const error = check.errors?.[0];
  return { field: error?.instancePath ?? '', code: 'EVENT_INVALID', reason: error?.message ?? 'must be a payload' };
}
