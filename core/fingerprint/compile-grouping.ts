import type { GroupingSettings } from './grouping-settings.js';
import { GROUPING_VERSIONS, type GroupingVersion } from './grouping-version.js';
import { compileRules, type OutcomeOf } from './rules/compile-rules.js';
import { groupingFault } from './rules/grouping-fault.js';

/** Settings that were understood: everything that can be prepared once is. */
export interface Grouping {
  readonly rules: GroupingVersion;
  /** What the user's rules make of a payload. */
  readonly outcomeOf: OutcomeOf;
}

/** Prepares settings. Throws `GROUPING_INVALID`. */
export function compileGrouping(settings: GroupingSettings): Grouping {
  const rules = GROUPING_VERSIONS.find((known) => known.version === settings.version);
  if (rules === undefined) {
    const known = GROUPING_VERSIONS.map(({ version }) => version).join(' or ');
    throw groupingFault(null, `there is no version ${String(settings.version)} of the rules; use ${known}.`);
  }
  return { rules, outcomeOf: compileRules(settings) };
}
