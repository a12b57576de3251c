import type { HourCounts, IssueState } from '../index/content/issue-state.js';
import { joinUsers, NO_USERS, usersOf } from '../index/content/user-sketch.js';
import { MAX_NAMES, mergeHours } from '../index/count-event.js';

/** Combines a group: names and texts of `survivor`, counts and times of all members. */
export function mergeStates(survivor: IssueState, members: readonly IssueState[]): IssueState {
  const first = members.reduce((one, other) => (isFirstSeenBefore(other, one) ? other : one));
  const last = members.reduce((one, other) => (isLastSeenAfter(other, one) ? other : one));
  const latest = members.reduce((one, other) => (other.lastReceivedAtMicros > one.lastReceivedAtMicros ? other : one));
  const { releases, receipts } = joinReleases(members);
  return {
    issueId: survivor.issueId,
    fingerprint: survivor.fingerprint,
    fingerprintVersion: survivor.fingerprintVersion,
    app: survivor.app,
    service: survivor.service,
    title: survivor.title,
    culprit: survivor.culprit,
    errorName: survivor.errorName,
    message: survivor.message,
    ordinal: survivor.ordinal,
    firstReceivedAtMicros: Math.min(...members.map((member) => member.firstReceivedAtMicros)),
    count: sumOf(members, (member) => member.count),
    sampled: sumOf(members, (member) => member.sampled),
    removed: sumOf(members, (member) => member.removed),
    removedSampled: sumOf(members, (member) => member.removedSampled),
    level: latest.level,
    type: latest.type,
    firstSeenMs: first.firstSeenMs,
    firstSeenNanos: first.firstSeenNanos,
    lastSeenMs: last.lastSeenMs,
    lastSeenNanos: last.lastSeenNanos,
    lastReceivedAtMicros: latest.lastReceivedAtMicros,
    environments: [...new Set(members.flatMap((member) => member.environments))].sort().slice(0, MAX_NAMES),
    releases,
    releasesReceivedAtMicros: receipts,
    hours: members.map((member) => member.hours).reduce<HourCounts>(mergeHours, []),
    users: members.map(usersOf).reduce(joinUsers, NO_USERS),
    lastSegment: Math.max(...members.map((member) => member.lastSegment)),
  };
}

/** In order of the issues' first arrival; if there are too many, those received last. */
function joinReleases(members: readonly IssueState[]): { releases: string[]; receipts: number[] } {
  const joined = new Map<string, number>();
  const inOrder = members.toSorted((left, right) => left.firstReceivedAtMicros - right.firstReceivedAtMicros);
  for (const { releases, releasesReceivedAtMicros } of inOrder) {
    for (const [index, release] of releases.entries()) {
      joined.set(release, Math.max(joined.get(release) ?? 0, releasesReceivedAtMicros[index] ?? 0));
    }
  }
  const newest = [...joined].sort(([, left], [, right]) => right - left).slice(0, MAX_NAMES);
  const names = new Set(newest.map(([release]) => release));
  const kept = [...joined].filter(([release]) => names.has(release));
  return { releases: kept.map(([release]) => release), receipts: kept.map(([, micros]) => micros) };
}

function sumOf(members: readonly IssueState[], of: (member: IssueState) => number): number {
  return members.reduce((sum, member) => sum + of(member), 0);
}

function isFirstSeenBefore(one: IssueState, other: IssueState): boolean {
  return (
    one.firstSeenMs < other.firstSeenMs ||
    (one.firstSeenMs === other.firstSeenMs && one.firstSeenNanos < other.firstSeenNanos)
  );
}

function isLastSeenAfter(one: IssueState, other: IssueState): boolean {
  return (
    one.lastSeenMs > other.lastSeenMs ||
    (one.lastSeenMs === other.lastSeenMs && one.lastSeenNanos > other.lastSeenNanos)
  );
}
