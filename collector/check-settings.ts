import type { FoundFault } from '../config/place-faults.js';
import type { Settings } from '../config/settings.js';
import { checkGrouping } from '../core/fingerprint/rules/check-grouping.js';

/** Everything that is wrong in settings that fit the schema, as far as only the rooms that use them can tell. */
export function checkSettings({ grouping }: Settings): FoundFault[] {
  return checkGrouping(grouping).map(({ path, message }) => ({ path: ['grouping', ...path], message }));
}
