import type { Grouper } from '../../fingerprint/grouper.js';
import { GROUPING_VERSIONS, type GroupingSettings } from '../../fingerprint/grouping-settings.js';
import { type GroupingPlan, groupingAt } from '../groupings/grouping-log-plan.js';

export type CreateGrouper = (settings: GroupingSettings) => Grouper;

/** How an index groups its events. */
export interface IndexGrouping {
  readonly plan: GroupingPlan;
  readonly createGrouper: CreateGrouper;
}

/** How to group the events of one instant that arrived under one version. */
interface EventGrouper {
  /** Whether the stored fingerprint counts, if there is one. */
  readonly keepsStored: boolean;
  /** Groups events without one, and describes all. */
  readonly grouper: Grouper;
}

/** Finds the grouper of events; `storedVersion` is that of their stored fingerprint. Throws `GROUPING_INVALID`. */
export type FindGrouper = (receivedAtMicros: number, storedVersion: number | undefined) => EventGrouper;

/** Creates a function that makes each grouper once. */
export function createEventGroupers({ plan, createGrouper }: IndexGrouping): FindGrouper {
  const groupers = new Map<GroupingSettings, Map<number, Grouper>>();

  /** For the settings, with another version of the built-in rules if this program has it. */
  const grouperOf = (settings: GroupingSettings, version: number): Grouper => {
    const ofSettings = groupers.get(settings) ?? new Map<number, Grouper>();
    groupers.set(settings, ofSettings);
    const existing = ofSettings.get(version);
    if (existing !== undefined) return existing;
    const isOther = version !== settings.version && GROUPING_VERSIONS.includes(version);
    const grouper = createGrouper(isOther ? { ...settings, version } : settings);
    ofSettings.set(version, grouper);
    return grouper;
  };

  return (receivedAtMicros, storedVersion) => {
    const { counts, arrived } = groupingAt(plan, receivedAtMicros);
    if (counts !== 'committed') return { keepsStored: false, grouper: grouperOf(counts, counts.version) };
    if (storedVersion === undefined) return { keepsStored: false, grouper: grouperOf(arrived, arrived.version) };
    return { keepsStored: true, grouper: grouperOf(arrived, storedVersion) };
  };
}
