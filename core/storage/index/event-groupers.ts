import type { Grouper } from '../../fingerprint/grouper.js';
import { GROUPING_VERSIONS, type GroupingSettings } from '../../fingerprint/grouping-settings.js';
import { type GroupingPlan, groupingAt } from '../groupings/grouping-log-plan.js';
import type { ReplayedLine } from '../record/commits/replayed-commit.js';
import { decodeLineAt } from '../record/reader/decode-line-at.js';
import type { DescribedFailure, IndexedFailure } from './content/indexed-event.js';

/** Decodes lines of the record for the index; throws `RAW_LINE_INVALID` for a line that is not a payload. */
export class LineDecoder {
  readonly #groupers: EventGroupers;

  constructor(grouping: IndexGrouping) {
    this.#groupers = new EventGroupers(grouping);
  }

  /** Decodes what the index counts. Computes the fingerprint only if the stored one is missing or does not count. */
  decode(line: ReplayedLine, receivedAtMicros: number): IndexedFailure | DescribedFailure {
    // Read once: the getter slices the commit record.
    const { fingerprint } = line;
    const { keepsStored, grouper } = this.#groupers.at(receivedAtMicros, fingerprint?.version);
    const payload = decodeLineAt(line, line.rawLine);
    if (fingerprint !== undefined && keepsStored) return { payload, fingerprint };
    return { payload, fingerprint: grouper.fingerprint(payload) };
  }

  /** Decodes what describes a new issue, which costs as much as grouping the event anew. */
  describe(line: ReplayedLine, receivedAtMicros: number): DescribedFailure {
    const { grouper } = this.#groupers.at(receivedAtMicros, line.fingerprint?.version);
    const payload = decodeLineAt(line, line.rawLine);
    return { payload, fingerprint: grouper.fingerprint(payload) };
  }
}

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
