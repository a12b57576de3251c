import { Fault } from '../../event/fault.js';
import { repeatsOf } from '../../event/raw-payload.js';
import type { Grouper } from '../../fingerprint/grouper.js';
import { GROUPING_VERSIONS, type GroupingSettings } from '../../fingerprint/grouping-settings.js';
import { type GroupingPlan, groupingAt } from '../groupings/grouping-log-plan.js';
import type { ReplayedLine } from '../record/commits/replayed-commit.js';
import { parseEventId } from '../record/partitions/event-id.js';
import { decodeLineAt } from '../record/reader/decode-line-at.js';
import type { RecordReader } from '../record/reader/record-reader.js';
import { type DescribedFailure, type IndexedFailure, isDescribed } from './content/indexed-event.js';

/** Reads single lines of the record. */
export type ReadableLines = Pick<RecordReader, 'partitionOfId' | 'readLine'>;

/** Decodes lines of the record for the index; throws `RAW_LINE_INVALID` for a line that is not a payload. */
export class LineDecoder {
  readonly #groupers: EventGroupers;
  readonly #record: ReadableLines;

  constructor(grouping: IndexGrouping, record: ReadableLines) {
    this.#groupers = new EventGroupers(grouping);
    this.#record = record;
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

  /**
   * Groups a decoded event that only repeats an occurrence as the event that counts it, unless its own fingerprint is stored or that event
   * was received before `beforeMicros` or cannot be read.
   */
  async regroupRepeat(
    failure: IndexedFailure | DescribedFailure,
    beforeMicros: number,
  ): Promise<IndexedFailure | DescribedFailure> {
    const repeats = repeatsOf(failure.payload.extra);
    const id = repeats && parseEventId(repeats);
    if (repeats === undefined || id === undefined || id.receivedAtMicros < beforeMicros) return failure;
    if (!isDescribed(failure)) return failure;
    try {
      const partition = await this.#record.partitionOfId(repeats);
      const rawLine = partition && (await this.#record.readLine(partition, id.line));
      if (partition === undefined || rawLine === undefined) return failure;
      const { grouper } = this.#groupers.at(id.receivedAtMicros, undefined);
      const fingerprint = grouper.fingerprint(decodeLineAt({ partition, line: id.line }, rawLine));
      return { payload: failure.payload, fingerprint };
    } catch (error) {
      // The replay reports damage at the line itself.
      if (error instanceof Fault && error.code !== 'READER_CLOSED') return failure;
      throw error;
    }
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
