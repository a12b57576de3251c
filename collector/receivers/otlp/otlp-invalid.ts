import { Fault } from '../../../core/event/fault.js';

/** The fault `OTLP_INVALID` for a request that cannot be read as a whole: sending it again does not help. */
export function otlpInvalid(reason: string, cause?: unknown): Fault {
  return new Fault('OTLP_INVALID', `the request is not OTLP: ${reason}`, { cause });
}
