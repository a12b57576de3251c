import { Fault } from '../fault.js';

/** How large one event may be before parts of it are cut. Each is a positive integer; nothing here ever rejects an event. */
export interface PayloadLimits {
  /** UTF-16 units of any string but the stack, keys in `tags` and `extra` included. */
  readonly maxStringLength: number;
  /** UTF-16 units of `stack`. */
  readonly maxStackLength: number;
  /** Levels of objects and arrays in `extra`, which is itself the first; at most 1,000, because such values are walked by recursion. */
  readonly maxDepth: number;
  /** Entries of `tags`; the first ones in the sender's order stay. */
  readonly maxTags: number;
}

const DEEPEST = 1_000;

/** Throws Fault `PAYLOAD_LIMIT_INVALID` for a limit that is no positive integer, or a `maxDepth` over 1,000. */
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
