import type { JsonValue } from '../event/json.js';
import type { FingerprintBasis } from './fingerprint.js';

/** The text that is hashed: version, rule, then name and value of each used part in their order, nothing else. Well-formed whatever the parts hold. */
export function canonicalBasis(basis: FingerprintBasis): string {
  const used: JsonValue[] = [basis.version, basis.rule];
  for (const part of basis.parts) if (part.used) used.push(part.part, part.value);
  return JSON.stringify(used);
}
