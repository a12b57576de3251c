import { Fault } from '../../../../core/event/fault.js';
import type { OtlpBadRecord } from '../../../otlp/otlp-records.js';

/** Yields records and bad records one by one, and undefined where decoding may pause without a record. */
export type DecodeSteps<Item> = Generator<Item | OtlpBadRecord | undefined, void>;

/** Fields or messages without a record between two pauses; well below a millisecond. */
const PASSED_AT_ONCE = 1024;

/** Counts skipped fields until the next pause. */
export class PauseMeter {
  #passed = 0;

  /** Adds `passed` fields; returns true if it is time to pause. */
  spend(passed = 1): boolean {
    this.#passed += passed;
    if (this.#passed < PASSED_AT_ONCE) return false;
    this.#passed = 0;
    return true;
  }
}

/** Creates the fault `OTLP_INVALID` for a request that cannot be decoded; a retry does not help. */
export function otlpInvalid(reason: string, cause?: unknown): Fault {
  return new Fault('OTLP_INVALID', `the request is not OTLP: ${reason}`, { cause });
}
