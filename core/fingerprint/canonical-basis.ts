import type { JsonValue } from '../event/json.js';
import type { FingerprintBasis } from './fingerprint.js';

/** What JSON writes otherwise than it is, or may. */
const NEEDS_ESCAPE = /[^\u0020-\u007e]|["\\]/;

/** The text that is hashed: version, rule, then name and value of each used part in their order, nothing else. Well-formed whatever the parts hold. */
export function canonicalBasis(basis: FingerprintBasis): string {
  let text = `[${basis.version},${jsonOf(basis.rule)}`;
  for (const part of basis.parts) if (part.used) text += `,${jsonOf(part.part)},${jsonOf(part.value)}`;
  return `${text}]`;
}

/** As `JSON.stringify` writes a value. Its call costs more than a look at a text that it would only put in quotes. */
function jsonOf(value: JsonValue): string {
  if (typeof value === 'string') return NEEDS_ESCAPE.test(value) ? JSON.stringify(value) : `"${value}"`;
  // One frame decides most often.
  const only = Array.isArray(value) && value.length === 1 ? value[0] : undefined;
  return typeof only === 'string' ? `[${jsonOf(only)}]` : JSON.stringify(value);
}
