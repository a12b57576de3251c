import type { FingerprintValue } from '../event/ids.js';
import type { JsonValue } from '../event/json.js';

/** One thing that could decide a grouping: whether it did, with what value, and why or why not. */
export interface BasisPart {
  /** `client_fingerprint`, `error_name`, `frames`, `message`, in this order; all are listed, used or not. */
  part: string;
  used: boolean;
  /** What entered the hash when `used`, else what would have. */
  value: JsonValue;
  /** One sentence. */
  reason: string;
}

/** Everything that decided a fingerprint. The used parts, in order, with `version` and `rule`, are exactly what is hashed. */
export interface FingerprintBasis {
  version: number;
  /** Which case applied: `client`, `stack`, `stack_and_message`, `message`. */
  rule: string;
  parts: BasisPart[];
}

/** Where an event belongs, without the reasons. */
export type Grouping = Pick<Fingerprint, 'value' | 'version' | 'title' | 'culprit'>;

/** Why an event belongs where it does, design section 4. */
export interface Fingerprint {
  value: FingerprintValue;
  version: number;
  /** For lists: error name and parameterized message. One line, at most 256 UTF-16 units. */
  title: string;
  /** Function and file of the frame that decided; null when no frame did. */
  culprit: string | null;
  basis: FingerprintBasis;
}
