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

/** Caches the groupers. */
export function createEventGroupers({ plan, createGrouper }: IndexGrouping): FindGrouper {
  const cache = new Map<GroupingSettings, Map<number, Grouper>>();
  /** The last result: all lines of a commit look up the same. */
  let last:
    | { readonly atMicros: number; readonly version: number | undefined; readonly found: EventGrouper }
    | undefined;

  function lookUp(receivedAtMicros: number, storedVersion: number | undefined): EventGrouper {
    const { counts, arrived } = groupingAt(plan, receivedAtMicros);
    if (counts !== 'committed') return { keepsStored: false, grouper: grouperOf(counts, counts.version) };
    if (storedVersion === undefined) return { keepsStored: false, grouper: grouperOf(arrived, arrived.version) };
    return { keepsStored: true, grouper: grouperOf(arrived, storedVersion) };
  }

  /** For the settings, with another version of the built-in rules if this program has it. */
  function grouperOf(settings: GroupingSettings, version: number): Grouper {
    const made = cache.get(settings) ?? new Map<number, Grouper>();
    cache.set(settings, made);
    const known = made.get(version);
    if (known !== undefined) return known;
    const isOther = version !== settings.version && GROUPING_VERSIONS.includes(version);
    const grouper = createGrouper(isOther ? { ...settings, version } : settings);
    made.set(version, grouper);
    return grouper;
  }

  return (receivedAtMicros, version) => {
    if (last?.atMicros !== receivedAtMicros || last.version !== version) {
      last = { atMicros: receivedAtMicros, version, found: lookUp(receivedAtMicros, version) };
    }
    return last.found;
  };
}
