import type { ChosenGrouping } from '../../../generated/reader-answers.js';
import { FINGERPRINT_VERSION, type GroupingSettings, groupingKey } from '../../fingerprint/grouping-settings.js';
import { groupingOf } from '../../fingerprint/rules/grouping-section.js';
import type { GroupingChoice } from './regrouping.js';

/** A choice as settings; `active` is what groups new events. They are not checked. */
export function chooseGrouping(choice: GroupingChoice, active: GroupingSettings): GroupingSettings {
  const { version = FINGERPRINT_VERSION, patterns_off = active.patterns_off, rules = active.rules } = choice;
  return groupingOf({ patterns_off, rules }, version);
}

/** What settings come to beside those that group new events. */
export function chosenGrouping(settings: GroupingSettings, active: GroupingSettings): ChosenGrouping {
  const { version, rules, patterns_off: off } = settings;
  const isConfigured = groupingKey(settings) === groupingKey({ ...active, version });
  return { version, rules: rules.length, patterns_off: off.length, is_configured: isConfigured };
}
