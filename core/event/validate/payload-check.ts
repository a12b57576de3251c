import type { ValidateFunction } from 'ajv/dist/2020.js';
import { compilePayloadCheck } from '../../../generated/compiled-payload-check.js';
import { Fault } from '../fault.js';
import type { RawPayload } from '../raw-payload.js';

/** Sizes beyond which an event is cut, never rejected. Positive integers. */
export interface PayloadLimits {
  /** UTF-16 units of any string except the stack, including keys in `tags` and `extra`. */
  readonly maxStringLength: number;
  /** UTF-16 units of `stack`. */
  readonly maxStackLength: number;
  /** Levels of objects and arrays in `extra`, which is the first; at most 1,000, because values are walked by recursion. */
  readonly maxDepth: number;
  /** Entries of `tags`; the first ones are kept. */
  readonly maxTags: number;
}

const DEEPEST = 1_000;

/** Throws `PAYLOAD_LIMIT_INVALID` if a limit is not a positive integer or `maxDepth` exceeds 1,000. */
export function assertPayloadLimits(limits: PayloadLimits): void {
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isSafeInteger(value) || value < 1) {
      throw new Fault('PAYLOAD_LIMIT_INVALID', `Limit ${name} is ${value}; give a whole number of at least 1.`);
    }
  }
  if (limits.maxDepth > DEEPEST) {
    throw new Fault('PAYLOAD_LIMIT_INVALID', `Limit maxDepth is ${limits.maxDepth}; give at most ${DEEPEST}.`);
  }
}

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
export type PayloadCheck = ValidateFunction<RawPayload>;

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
