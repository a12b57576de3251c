import type { GroupingRule, GroupingSettings } from '../grouping-settings.js';

/** A rule as it is configured. The name defaults to `rule` and its position, the query to every event. */
export type WrittenRule = Omit<GroupingRule, 'name' | 'query'> & {
  readonly name?: string;
  readonly query?: string;
};

/** The section `grouping` of a configuration. */
export interface GroupingSection {
  readonly patterns_off: readonly string[];
  readonly rules: readonly WrittenRule[];
}

/** The name of a rule, or its default. */
export function ruleName(rule: WrittenRule, index: number): string {
  return rule.name ?? `rule ${index + 1}`;
}

/** Converts a section to settings without checking it, see `checkGrouping`. */
export function groupingOf(section: GroupingSection, version: number): GroupingSettings {
  return {
    version,
    patterns_off: [...new Set(section.patterns_off)].sort(),
    rules: section.rules.map((rule, index) => ({ ...rule, name: ruleName(rule, index), query: rule.query ?? '' })),
  };
}
