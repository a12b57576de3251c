import type { RawPayload } from '../../core/event/raw-payload.js';
import type { Fingerprint } from '../../core/fingerprint/fingerprint.js';
import { DEFAULT_GROUPING, groupingKey } from '../../core/fingerprint/grouping-settings.js';
import { groupingPlan } from '../../core/storage/groupings/grouping-log-plan.js';
import type { CreateGrouper, IndexGrouping } from '../../core/storage/index/event-groupers.js';

/** Groups by a function of the test and ignores the settings. */
export function groupsBy(fingerprint: (payload: RawPayload) => Fingerprint): CreateGrouper {
  return (settings) => ({ settings, key: groupingKey(settings), fingerprint });
}

/** Like `groupsBy`, for an index over a record that was never regrouped. */
export function groupingBy(fingerprint: (payload: RawPayload) => Fingerprint): IndexGrouping {
  const plan = { ...groupingPlan([]), periods: [{ fromMicros: 0, settings: DEFAULT_GROUPING }] };
  return { plan, createGrouper: groupsBy(fingerprint) };
}
