import { Fault } from '../fault.js';

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
