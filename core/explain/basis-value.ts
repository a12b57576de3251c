import type { JsonValue } from '../event/json.js';
import type { Fingerprint } from '../fingerprint/fingerprint.js';

/** The value of a part of a basis, used or not; undefined where there is no such part. */
export function basisValue({ basis }: Fingerprint, name: string): JsonValue | undefined {
  return basis.parts.find(({ part }) => part === name)?.value;
}
