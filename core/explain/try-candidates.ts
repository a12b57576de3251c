import type { RuleSuggestion } from '../../generated/reader-answers.js';
import type { RawPayload } from '../event/raw-payload.js';
import { cutText } from '../event/text.js';
import { createGrouper } from '../fingerprint/grouper.js';
import { GroupingFault, type GroupingRule, type GroupingSettings } from '../fingerprint/grouping-settings.js';
import { beginTimeSlice } from '../time-slice.js';

/** A rule to try; it gets a name from its title. */
export interface RuleCandidate extends Pick<RuleSuggestion, 'place' | 'why'> {
  readonly rule: Omit<GroupingRule, 'name'>;
  readonly title: string;
}

/** Each try creates a grouper. */
const MAX_TRIED = 150;
const MAX_NAME = 100;

/** Returns the first candidate that joins or separates two events in addition to the existing rules. Yields to the event loop. */
export async function firstWorkingRule(
  purpose: RuleSuggestion['purpose'],
  candidates: Iterable<RuleCandidate> | AsyncIterable<RuleCandidate>,
  [a, b]: readonly [RawPayload, RawPayload],
  settings: GroupingSettings,
): Promise<Pick<RuleSuggestion, 'rule' | 'place' | 'why'> | undefined> {
  const slice = beginTimeSlice();
  let tried = 0;
  for await (const { rule: unnamed, place, why, title } of candidates) {
    tried += 1;
    if (tried > MAX_TRIED) break;
    if (slice.isOver) await slice.next();
    const rule: GroupingRule = { name: uniqueName(title, settings), ...unnamed };
    const grouper = grouperWith(rule, place, settings);
    if (grouper === undefined) continue;
    const areAlike = grouper.fingerprint(a).value === grouper.fingerprint(b).value;
    if (areAlike === (purpose === 'join')) return { rule, place, why };
  }
  return undefined;
}

/** Returns settings with one more rule. */
export function withRule(
  rule: GroupingRule,
  place: RuleSuggestion['place'],
  { rules, ...settings }: GroupingSettings,
): GroupingSettings {
  return { ...settings, rules: place === 'first' ? [rule, ...rules] : [...rules, rule] };
}

/** Returns a grouper with one more rule; undefined if the rule is invalid. */
export function grouperWith(rule: GroupingRule, place: RuleSuggestion['place'], settings: GroupingSettings) {
  try {
    return createGrouper(withRule(rule, place, settings));
  } catch (error) {
    // A value of the event may exceed the limits of a query or a matcher.
    if (error instanceof GroupingFault) return undefined;
    throw error;
  }
}

function uniqueName(title: string, { rules }: GroupingSettings): string {
  const wanted = title.length > MAX_NAME ? `${cutText(title, MAX_NAME - 1)}…` : title;
  const taken = new Set(rules.map(({ name }) => name));
  let name = wanted;
  for (let count = 2; taken.has(name); count += 1) name = `${wanted} (${count})`;
  return name;
}
