import type { GroupingRule, GroupingSettings } from '../grouping-settings.js';

/** A rule as a person writes it: without a name it is called by its place, without a query it is for every event. */
export type WrittenRule = Omit<GroupingRule, 'name' | 'query'> & {
  readonly name?: string;
  readonly query?: string;
};

/** What a person writes about grouping, as in the section `grouping` of a configuration. */
export interface GroupingSection {
  readonly patterns_off: readonly string[];
  readonly rules: readonly WrittenRule[];
}

/** The name under which a rule is shown; the first one without a name is `rule 1`. */
export function ruleName(rule: WrittenRule, place: number): string {
  return rule.name ?? `rule ${place + 1}`;
}

/** A section as settings, by one version of the built-in rules. It is not checked: see `checkGrouping`. */
export function groupingOf(section: GroupingSection, version: number): GroupingSettings {
  return {
    version,
    patterns_off: [...new Set(section.patterns_off)].sort(),
    rules: section.rules.map((rule, place) => ({ ...rule, name: ruleName(rule, place), query: rule.query ?? '' })),
  };
}
