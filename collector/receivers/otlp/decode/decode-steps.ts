import { Fault } from '../../../../core/event/fault.js';
import type { OtlpBadRecord } from '../../../otlp/otlp-records.js';

/** Decoding record by record: each step gives one, a bad one, or undefined where nothing was found for a while. It may pause at each. */
export type DecodeSteps<Item> = Generator<Item | OtlpBadRecord | undefined, void>;

/** Fields or messages without a record that are passed between two places where decoding may pause: well below a millisecond. */
const PASSED_AT_ONCE = 1024;

/** Says when it is time for a pause. */
export class PauseMeter {
  #passed = 0;

  /** Adds what was passed, one if not said; true when it is time. */
  spend(passed = 1): boolean {
    this.#passed += passed;
    if (this.#passed < PASSED_AT_ONCE) return false;
    this.#passed = 0;
    return true;
  }
}

/** The fault `OTLP_INVALID` for a request that cannot be read as a whole: sending it again does not help. */
export function otlpInvalid(reason: string, cause?: unknown): Fault {
  return new Fault('OTLP_INVALID', `the request is not OTLP: ${reason}`, { cause });
}
