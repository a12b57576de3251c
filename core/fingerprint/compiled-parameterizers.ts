import { LRUCache } from 'lru-cache';
import { createParameterizer, type Parameterizer } from './parameterize.js';

/** Few settings are in use at a time. */
const KEPT = new LRUCache<string, Parameterizer, ReadonlySet<string>>({
  max: 64,
  memoMethod: (_key, _stale, { context }) => createParameterizer(context),
});

/** The parameterizer with some kinds of values off. Kept for everybody, because compiling one takes some milliseconds and it has no memory of texts. */
export function compiledParameterizer(off: ReadonlySet<string>): Parameterizer {
  return KEPT.memo([...off].sort().join(' '), { context: off });
}
