import { LRUCache } from 'lru-cache';
import { createParameterizer, type Parameterizer, type ParameterizerOptions } from './parameterize.js';

/** Few settings are in use at a time. */
const KEPT = new LRUCache<string, Parameterizer, ParameterizerOptions>({
  max: 64,
  memoMethod: (_key, _stale, { context }) => createParameterizer(context),
});

/** The parameterizer of a version with some kinds of values off. Kept for everybody, because compiling one takes some milliseconds and it has no memory of texts. */
export function compiledParameterizer(version: 1 | 2, off: ReadonlySet<string>): Parameterizer {
  return KEPT.memo([version, ...[...off].sort()].join(' '), { context: { version, off } });
}
