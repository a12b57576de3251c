import { createParameterizer, type Parameterizer } from './parameterize.js';

/** Few settings are in use at a time; beyond these all are compiled anew. */
const MAX_KEPT = 64;
const KEPT = new Map<string, Parameterizer>();

/** The parameterizer of a version with some kinds of values off. Kept for everybody, because compiling one takes some milliseconds and it has no memory of texts. */
export function compiledParameterizer(version: 1 | 2, off: ReadonlySet<string>): Parameterizer {
  const key = [version, ...[...off].sort()].join(' ');
  let parameterizer = KEPT.get(key);
  if (parameterizer === undefined) {
    if (KEPT.size >= MAX_KEPT) KEPT.clear();
    parameterizer = createParameterizer({ version, off });
    KEPT.set(key, parameterizer);
  }
  return parameterizer;
}
