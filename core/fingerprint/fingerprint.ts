import type { FingerprintValue } from '../event/ids.js';
import type { JsonValue } from '../event/json.js';

/** One part of a basis: whether it counted, its value, and why. */
export interface BasisPart {
  /** `client_fingerprint`, `rule`, `wrapper`, `error_name`, `code`, `frames`, `message`, `split`, in this order; unused parts are listed too. */
  part: string;
  used: boolean;
  /** Hashed if `used`. */
  value: JsonValue;
  /** One sentence. */
  reason: string;
}

/** The input of a fingerprint: `version`, `rule` and the used parts, in order, are hashed. */
export interface FingerprintBasis {
  version: number;
  /** The case that applied: `rule`, `client`, `stack`, `stack_and_message`, `message`. */
  rule: string;
  parts: BasisPart[];
}

/** A fingerprint without its basis. */
export type GroupingResult = Pick<Fingerprint, 'value' | 'version' | 'title' | 'culprit'>;

/** The fingerprint of an event, with the basis that explains it. */
export interface Fingerprint {
  value: FingerprintValue;
  version: number;
  /** For lists: error name and parameterized message. One line, at most 256 UTF-16 units. */
  title: string;
  /** Function and file of the deciding frame; null without one. */
  culprit: string | null;
  basis: FingerprintBasis;
}
