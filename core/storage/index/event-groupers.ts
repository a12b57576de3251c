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

/** Finds the grouper for events of the record and caches it. */
export class EventGroupers {
  readonly #plan: GroupingPlan;
  readonly #createGrouper: CreateGrouper;
  readonly #cache = new Map<GroupingSettings, Map<number, Grouper>>();
  /** The last result: all lines of a commit look up the same. */
  #last: { readonly atMicros: number; readonly version: number | undefined; readonly found: EventGrouper } | undefined;

  constructor({ plan, createGrouper }: IndexGrouping) {
    this.#plan = plan;
    this.#createGrouper = createGrouper;
  }

  /**
   * `storedVersion`: version of the rules that grouped the event on arrival, undefined if the record does not hold it. Throws
   * `GROUPING_INVALID`.
   */
  at(receivedAtMicros: number, storedVersion: number | undefined): EventGrouper {
    if (this.#last?.atMicros !== receivedAtMicros || this.#last.version !== storedVersion) {
      const found = this.#lookUp(receivedAtMicros, storedVersion);
      this.#last = { atMicros: receivedAtMicros, version: storedVersion, found };
    }
    return this.#last.found;
  }

  #lookUp(receivedAtMicros: number, storedVersion: number | undefined): EventGrouper {
    const { counts, arrived } = groupingAt(this.#plan, receivedAtMicros);
    if (counts !== 'committed') return { keepsStored: false, grouper: this.#grouper(counts, counts.version) };
    if (storedVersion === undefined) return { keepsStored: false, grouper: this.#grouper(arrived, arrived.version) };
    return { keepsStored: true, grouper: this.#grouper(arrived, storedVersion) };
  }

  /** For the settings, with another version of the built-in rules if this program has it. */
  #grouper(settings: GroupingSettings, version: number): Grouper {
    const made = this.#cache.get(settings) ?? new Map<number, Grouper>();
    this.#cache.set(settings, made);
    const known = made.get(version);
    if (known !== undefined) return known;
    const isOther = version !== settings.version && GROUPING_VERSIONS.includes(version);
    const grouper = this.#createGrouper(isOther ? { ...settings, version } : settings);
    made.set(version, grouper);
    return grouper;
  }
}
