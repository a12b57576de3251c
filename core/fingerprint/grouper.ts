import type { RawPayload } from '../event/raw-payload.js';
import { cachedFingerprint } from './cached-fingerprint.js';
import { groupOnce } from './decide-fingerprint.js';
import type { Fingerprint } from './fingerprint.js';
import { type GroupingSettings, groupingKey } from './grouping-settings.js';
import { compileRules } from './rules/compile-rules.js';

/** Groups payloads by some settings: pure, total, deterministic, and linear in an input that it bounds itself. */
export interface Grouper {
  readonly settings: GroupingSettings;
  /** 16 hexadecimal characters that name the settings. */
  readonly key: string;
  fingerprint(payload: RawPayload): Fingerprint;
}

/** Builds a grouper without memory. Throws `GROUPING_INVALID` that names the rule and what is wrong with it. */
export function createGrouper(settings: GroupingSettings): Grouper {
  const outcomeOf = compileRules(settings);
  return { settings, key: groupingKey(settings), fingerprint: (payload) => groupOnce(outcomeOf, payload) };
}

/**
 * Builds a grouper that answers what the one without memory answers, and remembers within bounds the stacks and the failures that come again and again.
 * Its answers are shared between equal failures: nobody may change them. Throws as `createGrouper` does.
 */
export function createRememberingGrouper(settings: GroupingSettings): Grouper {
  const outcomeOf = compileRules(settings);
  return { settings, key: groupingKey(settings), fingerprint: cachedFingerprint(outcomeOf) };
}
