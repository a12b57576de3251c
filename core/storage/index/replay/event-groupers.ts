import type { Grouper } from '../../../fingerprint/grouper.js';
import { GROUPING_VERSIONS, type GroupingSettings } from '../../../fingerprint/grouping-settings.js';
import { type GroupingPlan, groupingAt } from '../../groupings/grouping-log-plan.js';

/** Makes what groups by some settings. */
export type CreateGrouper = (settings: GroupingSettings) => Grouper;

/** How an index groups: true to one plan. */
export interface IndexGrouping {
  readonly plan: GroupingPlan;
  readonly createGrouper: CreateGrouper;
}

/** What groups events of one instant that arrived under one version. */
export interface EventGrouper {
  /** Whether what grouped the event on arrival counts, where that is known. */
  readonly keepsStored: boolean;
  /** Groups the others, and describes all. */
  readonly grouper: Grouper;
}

/** Finds for events of the record what groups them, and remembers what it made. */
export class EventGroupers {
  readonly #plan: GroupingPlan;
  readonly #createGrouper: CreateGrouper;
  readonly #made = new Map<GroupingSettings, Map<number, Grouper>>();
  /** What was found last: the lines of a commit ask for the same, one after the other. */
  #last: { readonly atMicros: number; readonly version: number | undefined; readonly found: EventGrouper } | undefined;

  constructor({ plan, createGrouper }: IndexGrouping) {
    this.#plan = plan;
    this.#createGrouper = createGrouper;
  }

  /** `storedVersion`: of the rules that grouped the event on arrival, undefined where the record does not say. Throws `GROUPING_INVALID`. */
  at(receivedAtMicros: number, storedVersion: number | undefined): EventGrouper {
    if (this.#last?.atMicros !== receivedAtMicros || this.#last.version !== storedVersion) {
      const found = this.#find(receivedAtMicros, storedVersion);
      this.#last = { atMicros: receivedAtMicros, version: storedVersion, found };
    }
    return this.#last.found;
  }

  #find(receivedAtMicros: number, storedVersion: number | undefined): EventGrouper {
    const { counts, arrived } = groupingAt(this.#plan, receivedAtMicros);
    if (counts !== 'committed') return { keepsStored: false, grouper: this.#grouper(counts, counts.version) };
    if (storedVersion === undefined) return { keepsStored: false, grouper: this.#grouper(arrived, arrived.version) };
    return { keepsStored: true, grouper: this.#grouper(arrived, storedVersion) };
  }

  /** By the settings, and by that version of the built-in rules where there is one. */
  #grouper(settings: GroupingSettings, version: number): Grouper {
    const made = this.#made.get(settings) ?? new Map<number, Grouper>();
    this.#made.set(settings, made);
    const known = made.get(version);
    if (known !== undefined) return known;
    const isOther = version !== settings.version && GROUPING_VERSIONS.includes(version);
    const grouper = this.#createGrouper(isOther ? { ...settings, version } : settings);
    made.set(version, grouper);
    return grouper;
  }
}
