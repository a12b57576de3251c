import type { RawPayload } from '../event/raw-payload.js';
import { FingerprintCache } from './cached-fingerprint.js';
import { groupPayload } from './decide-fingerprint.js';
import type { Fingerprint } from './fingerprint.js';
import { type GroupingSettings, groupingKey } from './grouping-settings.js';
import { compileRules } from './rules/compile-rules.js';

/** Computes fingerprints: pure, never throws, deterministic, and linear in its bounded input. */
export interface Grouper {
  readonly settings: GroupingSettings;
  /** `groupingKey` of the settings. */
  readonly key: string;
  fingerprint(payload: RawPayload): Fingerprint;
}

/** Creates a grouper without a cache. Throws `GROUPING_INVALID`, which names the rule and its problem. */
export function createGrouper(settings: GroupingSettings): Grouper {
  const outcomeOf = compileRules(settings);
  return { settings, key: groupingKey(settings), fingerprint: (payload) => groupPayload(outcomeOf, payload) };
}

/** Like `createGrouper`, with bounded caches. Equal failures share one result, which must not be changed. */
export function createCachedGrouper(settings: GroupingSettings): Grouper {
  const cache = new FingerprintCache(compileRules(settings));
  return { settings, key: groupingKey(settings), fingerprint: (payload) => cache.fingerprint(payload) };
}
