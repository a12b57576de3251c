import type { RawPayload } from '../event/raw-payload.js';
import type { GroupingRule, GroupingSettings } from '../fingerprint/grouping-settings.js';
import { payloadMatcher } from '../query/match-query.js';
import { parseQuery } from '../query/parse-query.js';

/** A rule of the user that matches an event. */
export interface MatchedRule {
  readonly name: string;
  /** One clause per effect, for example `sets the fingerprint`. */
  readonly did: readonly string[];
}

const CLAUSES: readonly (readonly [keyof GroupingRule, string])[] = [
  ['ignore_frames', 'ignores frames'],
  ['in_app', 'marks frames as the application’s'],
  ['not_in_app', 'marks frames as a library’s'],
  ['patterns_off', 'keeps values of these kinds'],
  ['patterns_on', 'replaces values of these kinds'],
  ['split_by', 'splits by'],
];

/** Returns a function that returns the rules that match a payload, in order. Throws `QUERY_INVALID`. */
export function createRuleMatcher({ rules }: GroupingSettings): (payload: RawPayload) => MatchedRule[] {
  const compiled = rules.map((rule) => ({ rule, matches: payloadMatcher(parseQuery(rule.query, 'payloads')) }));
  return (payload) => {
    const matching = compiled.filter(({ matches }) => matches(payload)).map(({ rule }) => rule);
    const setter = matching.find(({ fingerprint }) => fingerprint !== undefined);
    return matching.map((rule) => ({ name: rule.name, did: clausesOf(rule, setter) }));
  };
}

function clausesOf(rule: GroupingRule, setter: GroupingRule | undefined): string[] {
  const effects = CLAUSES.flatMap(([member, clause]) => {
    const list = rule[member];
    if (!Array.isArray(list) || list.length === 0) return [];
    return [list.every((one) => typeof one === 'string') ? `${clause}: ${list.join(', ')}` : clause];
  });
  if (rule.fingerprint === undefined || setter === undefined) return effects;
  const sets =
    setter === rule ? 'sets the fingerprint' : `would set the fingerprint, but rule "${setter.name}" comes first`;
  return [sets, ...effects];
}
