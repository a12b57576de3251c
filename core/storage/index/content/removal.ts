import { addHours } from '../count-event.js';
import type { UserSketch } from '../segments/user-sketch.js';
import type { HourCounts, IssueHeader, IssueState, SharedTexts } from './issue-state.js';

/** What retention removed over the life of the folder. */
export interface RemovedTotals {
  /** Without those sampled out. */
  readonly events: number;
  readonly partitions: number;
  /** Bytes of removed raw files. */
  readonly rawBytes: number;
  /** Everything received before this instant is removed; 0 if nothing was. */
  readonly beforeMicros: number;
}

export const NOTHING_REMOVED: RemovedTotals = { events: 0, partitions: 0, rawBytes: 0, beforeMicros: 0 };

/**
 * An issue that lost events, as it was before. Together with the remaining events it restores the issue. Applying it twice changes only the
 * counts.
 */
export interface IssueRemoval
  extends IssueHeader,
    Readonly<Pick<IssueState, 'level' | 'type' | 'firstSeenMs' | 'firstSeenNanos' | 'lastSeenMs' | 'lastSeenNanos'>>,
    Readonly<Pick<IssueState, 'lastReceivedAtMicros' | 'environments' | 'releases'>> {
  /** Events that all removals up to this one took, counted as in `IssueState`. */
  readonly removed: number;
  /** Counted as in `IssueState`, as is `removedRepeated`. */
  readonly removedSampled: number;
  readonly removedRepeated: number;
  readonly releasesReceivedAtMicros: readonly number[];
  readonly releasesFirstReceivedAtMicros: readonly number[];
  readonly users: UserSketch;
  /** Of the events removed this time that its trend still counted. */
  readonly hours: HourCounts;
}

/** What one removal takes from an issue. */
export interface LostRows {
  /** Counted as `count` of `IssueState`, as are `sampled` and `repeated`. */
  readonly events: number;
  readonly sampled: number;
  readonly repeated: number;
  /** Only those that its trend counts. */
  readonly hours: HourCounts;
}

export const NOTHING_LOST: LostRows = { events: 0, sampled: 0, repeated: 0, hours: [] };

/** One recorded removal. */
export interface Removal {
  /** Including this removal. */
  readonly totals: RemovedTotals;
  /** `received_at` of the last removed event, 0 if none. An index must contain that event to apply the removal. */
  readonly throughMicros: number;
  /** Whether it replaces all earlier removals, whose entries are gone. */
  readonly isSummary: boolean;
  /** In order of first arrival. */
  readonly issues: readonly IssueRemoval[];
}

/** The removals that `retention.ndjson` records; not derived. */
export interface RemovalHistory {
  /** As of the last removal; undefined while another process is about to record one. */
  totals(): Promise<RemovedTotals | undefined>;
  /** Oldest first. */
  removals(): AsyncIterable<Removal>;
}

/** The history of a folder without removals. */
export const NO_REMOVALS: RemovalHistory = {
  totals: async () => NOTHING_REMOVED,
  async *removals() {},
};

/** What to remove and how to record it. */
export interface RemovalPlan {
  readonly beforeMicros: number;
  /** Resolves when the removal is durable. `issues` are computed lazily, in order of first arrival. */
  readonly writeDown: (lost: {
    readonly events: number;
    readonly throughMicros: number;
    readonly issues: Iterable<IssueRemoval>;
  }) => Promise<RemovedTotals>;
  readonly isCancelled: () => boolean;
}

/** Subtracts removed events from an issue. */
export function uncountEvents(issue: IssueState, { events, sampled, repeated, hours }: LostRows): void {
  issue.count = Math.max(0, issue.count - events);
  issue.sampled = Math.max(0, issue.sampled - sampled);
  issue.repeated = Math.max(0, issue.repeated - repeated);
  issue.removed += events;
  issue.removedSampled += sampled;
  issue.removedRepeated += repeated;
  issue.hours = issue.count === 0 ? [] : addHours(issue.hours, hours, -1);
}

/** Restores an issue from a recorded removal, except what is counted. */
export function restoreIssue(issue: IssueState, removal: IssueRemoval, texts: SharedTexts): void {
  issue.removed = removal.removed;
  issue.removedSampled = removal.removedSampled;
  issue.removedRepeated = removal.removedRepeated;
  issue.level = removal.level;
  issue.type = removal.type;
  issue.firstSeenMs = removal.firstSeenMs;
  issue.firstSeenNanos = removal.firstSeenNanos;
  issue.lastSeenMs = removal.lastSeenMs;
  issue.lastSeenNanos = removal.lastSeenNanos;
  issue.lastReceivedAtMicros = removal.lastReceivedAtMicros;
  issue.environments = removal.environments.map((name) => texts.share(name));
  issue.releases = removal.releases.map((name) => texts.share(name));
  issue.releasesReceivedAtMicros = [...removal.releasesReceivedAtMicros];
  issue.releasesFirstReceivedAtMicros = [...removal.releasesFirstReceivedAtMicros];
  issue.users = removal.users;
}

/** Records an issue as it is before it loses events. */
export function describeRemoval(issue: IssueState, lost: LostRows): IssueRemoval {
  return {
    ...issue,
    removed: issue.removed + lost.events,
    removedSampled: issue.removedSampled + lost.sampled,
    removedRepeated: issue.removedRepeated + lost.repeated,
    releasesReceivedAtMicros: [...issue.releasesReceivedAtMicros],
    releasesFirstReceivedAtMicros: [...issue.releasesFirstReceivedAtMicros],
    hours: lost.hours,
  };
}
