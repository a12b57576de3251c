import type { HourCounts, IssueCard } from './issue-state.js';
import type { UserSketch } from './user-sketch.js';

/** What retention removed over the life of the folder. */
export interface RemovedTotals {
  /** Stored ones. */
  readonly events: number;
  readonly partitions: number;
  /** Bytes of the raw files that are gone. */
  readonly rawBytes: number;
  /** Everything received before this instant is gone: microseconds since the epoch, 0 when nothing was removed. */
  readonly beforeMicros: number;
}

export const NOTHING_REMOVED: RemovedTotals = { events: 0, partitions: 0, rawBytes: 0, beforeMicros: 0 };

/**
 * An issue that lost events, as it was when they were removed: with this and the events that are left it can be made again.
 * All but the counts may be taken in twice.
 */
export interface IssueRemoval extends IssueCard {
  /** Events that all removals up to this one took from it, those included for which the stored ones stood. */
  readonly removed: number;
  /** How many of these had not been stored. */
  readonly removedSampled: number;
  readonly level: string;
  readonly type: string;
  readonly firstSeenMs: number;
  readonly firstSeenNanos: number;
  readonly lastSeenMs: number;
  readonly lastSeenNanos: number;
  readonly lastReceivedAtMicros: number;
  readonly environments: readonly string[];
  readonly releases: readonly string[];
  /** Receipt of the latest event of each of `releases`, 0 where it is not known. */
  readonly releasesReceivedAtMicros: readonly number[];
  readonly users: UserSketch;
  /** Those of the events removed this time that its trend still counted. */
  readonly hours: HourCounts;
}

/** What an issue loses with the events before an instant. */
export interface LostRows {
  /** Those included for which the stored ones stood. */
  readonly events: number;
  /** How many of `events` were not stored. */
  readonly sampled: number;
  /** Those that its trend counts. */
  readonly hours: HourCounts;
}

export const NOTHING_LOST: LostRows = { events: 0, sampled: 0, hours: [] };

/** What was removed at one time. */
export interface Removal {
  /** After this removal. */
  readonly totals: RemovedTotals;
  /** `received_at` of the last event that it took. An index without it cannot take it in. 0 when there was none. */
  readonly throughMicros: number;
  /** Whether it stands for all removals before it, whose own entries are gone. */
  readonly isSummary: boolean;
  /** Every issue that lost events, in the order of first arrival. */
  readonly issues: readonly IssueRemoval[];
}

/** What is written down about removals beside the index, in `retention.ndjson`; it is not derived. */
export interface RemovalHistory {
  /** As of the last removal; undefined while another process is about to write one down. */
  totals(): Promise<RemovedTotals | undefined>;
  /** All removals, oldest first. */
  removals(): AsyncIterable<Removal>;
}

/** A folder from which nothing was ever removed. */
export const NO_REMOVALS: RemovalHistory = {
  totals: async () => NOTHING_REMOVED,
  async *removals() {},
};

/** What is to be removed and where that is written down. */
export interface RemovalPlan {
  readonly beforeMicros: number;
  /** Answers when it is durable. `issues` are those that lose events, in the order of first arrival; they are made as they are asked for. */
  readonly writeDown: (lost: {
    /** Stored ones. */
    readonly events: number;
    readonly throughMicros: number;
    readonly issues: Iterable<IssueRemoval>;
  }) => Promise<RemovedTotals>;
  readonly isCancelled: () => boolean;
}
