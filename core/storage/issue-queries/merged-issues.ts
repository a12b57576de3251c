import { type HourCounts, hasCounted, type IssueState } from '../index/content/issue-state.js';
import { addHours, MAX_NAMES } from '../index/count-event.js';
import { joinUsers, NO_USERS } from '../index/segments/user-sketch.js';

/** One of these changes with each event that an issue gains or loses. */
const VERSION_FIELDS = ['count', 'repeated', 'removed', 'removedRepeated'] as const;

/** Merged groups; the index keeps one issue for each fingerprint. */
export class MergedIssues {
  /** Ordinals shown as part of another issue. */
  readonly hidden: ReadonlySet<number>;
  /** By ordinal of the surviving issue. */
  readonly shown = new Map<number, IssueState>();
  readonly #groups: readonly (readonly IssueState[])[];
  readonly #byOrdinal = new Map<number, readonly IssueState[]>();
  /** Event counts of the members at the last combination. */
  readonly #versions: string[] = [];

  constructor(groups: readonly (readonly IssueState[])[]) {
    this.#groups = groups.filter((members) => members.length > 1);
    const hidden = new Set<number>();
    for (const members of this.#groups) {
      for (const [index, { ordinal }] of members.entries()) {
        this.#byOrdinal.set(ordinal, members);
        if (index > 0) hidden.add(ordinal);
      }
    }
    this.hidden = hidden;
  }

  /** Whether an ordinal is shown as part of another issue. */
  isHidden(ordinal: number): boolean {
    return this.hidden.size > 0 && this.hidden.has(ordinal);
  }

  /** The members of an ordinal's group, the surviving one first; undefined without a group. */
  membersOf(ordinal: number): readonly IssueState[] | undefined {
    return this.#byOrdinal.get(ordinal);
  }

  /** Recombines groups whose members gained or lost events. */
  refresh(): void {
    for (const [index, members] of this.#groups.entries()) {
      const version = members.map((member) => VERSION_FIELDS.map((field) => member[field]).join('-')).join(' ');
      const [survivor] = members;
      if (version === this.#versions[index] || survivor === undefined) continue;
      this.#versions[index] = version;
      this.shown.set(survivor.ordinal, mergeStates(survivor, members));
    }
  }
}

/** Combines a group: names and texts of `survivor`, counts of all members, times and levels of those with an event that counts. */
function mergeStates(survivor: IssueState, members: readonly IssueState[]): IssueState {
  const counting = members.filter(hasCounted);
  const deciding = counting.length > 0 ? counting : members;
  const firstBy = (compare: (a: IssueState, b: IssueState) => number): IssueState =>
    deciding.reduce((first, issue) => (compare(issue, first) < 0 ? issue : first));
  const first = firstBy((a, b) => a.firstSeenMs - b.firstSeenMs || a.firstSeenNanos - b.firstSeenNanos);
  const last = firstBy((a, b) => b.lastSeenMs - a.lastSeenMs || b.lastSeenNanos - a.lastSeenNanos);
  const latest = firstBy((a, b) => b.lastReceivedAtMicros - a.lastReceivedAtMicros);
  const oldest = members.reduce((a, b) => (b.firstReceivedAtMicros < a.firstReceivedAtMicros ? b : a));
  const { releases, receipts, firstReceipts } = joinReleases(deciding);
  return {
    ...survivor,
    firstReceivedAtMicros: oldest.firstReceivedAtMicros,
    firstRelease: oldest.firstRelease,
    count: sumOf(members, (member) => member.count),
    sampled: sumOf(members, (member) => member.sampled),
    repeated: sumOf(members, (member) => member.repeated),
    removed: sumOf(members, (member) => member.removed),
    removedSampled: sumOf(members, (member) => member.removedSampled),
    removedRepeated: sumOf(members, (member) => member.removedRepeated),
    level: latest.level,
    type: latest.type,
    firstSeenMs: first.firstSeenMs,
    firstSeenNanos: first.firstSeenNanos,
    lastSeenMs: last.lastSeenMs,
    lastSeenNanos: last.lastSeenNanos,
    lastReceivedAtMicros: latest.lastReceivedAtMicros,
    environments: [...new Set(deciding.flatMap((member) => member.environments))].sort().slice(0, MAX_NAMES),
    releases,
    releasesReceivedAtMicros: receipts,
    releasesFirstReceivedAtMicros: firstReceipts,
    hours: members.reduce<HourCounts>((hours, member) => addHours(hours, member.hours, 1), []),
    users: members.map(({ users }) => users).reduce(joinUsers, NO_USERS),
    lastSegment: Math.max(...members.map((member) => member.lastSegment)),
  };
}

/** Releases, and when the last and the first event of each was received. */
interface JoinedReleases {
  readonly releases: string[];
  readonly receipts: number[];
  readonly firstReceipts: number[];
}

/** In order of the issues' first arrival; if there are too many, those received last. */
function joinReleases(members: readonly IssueState[]): JoinedReleases {
  const joined = new Map<string, { readonly release: string; readonly last: number; readonly first: number }>();
  const inOrder = members.toSorted((a, b) => a.firstReceivedAtMicros - b.firstReceivedAtMicros);
  for (const { releases, releasesReceivedAtMicros: lasts, releasesFirstReceivedAtMicros: firsts } of inOrder) {
    for (const [index, release] of releases.entries()) {
      const { last, first } = joined.get(release) ?? { last: 0, first: Number.POSITIVE_INFINITY };
      joined.set(release, {
        release,
        last: Math.max(last, lasts[index] ?? 0),
        first: Math.min(first, firsts[index] ?? 0),
      });
    }
  }
  const newest = new Set([...joined.values()].sort((a, b) => b.last - a.last).slice(0, MAX_NAMES));
  const listed = [...joined.values()].filter((release) => newest.has(release));
  return {
    releases: listed.map(({ release }) => release),
    receipts: listed.map(({ last }) => last),
    firstReceipts: listed.map(({ first }) => first),
  };
}

function sumOf(members: readonly IssueState[], of: (member: IssueState) => number): number {
  return members.reduce((sum, member) => sum + of(member), 0);
}
