import { addUser, NO_USERS, type UserSketch } from './user-sketch.js';

/** What the events of one release count together. */
export interface ReleaseCount {
  readonly name: string;
  /** Event time of the earliest event. */
  readonly firstSeenMs: number;
  /** Event time of the latest event. */
  readonly lastSeenMs: number;
  /** By weight, as issues count them; those that retention removed since are included. */
  readonly events: number;
  readonly users: UserSketch;
}

/** What one event adds to its release. */
export interface ReleaseEvent {
  readonly release: string | null;
  /** From `userHash`. */
  readonly user: number;
}

/** Releases that an index knows; the manifest names them all. */
const MAX_RELEASES = 500;

/** Counts an event in place, because a new object for each would be garbage; its users are added to those of `earlier`. */
export function countReleaseEvent(
  counts: Map<string, { -readonly [Key in keyof ReleaseCount]: ReleaseCount[Key] }>,
  { release: name, user }: ReleaseEvent,
  { eventTimeMs, weight }: { readonly eventTimeMs: number; readonly weight: number },
  earlier: readonly ReleaseCount[],
): void {
  if (name === null) return;
  const count = counts.get(name);
  if (count === undefined) {
    const users = addUser(earlier.find((release) => release.name === name)?.users ?? NO_USERS, user);
    counts.set(name, { name, firstSeenMs: eventTimeMs, lastSeenMs: eventTimeMs, events: weight, users });
    return;
  }
  if (eventTimeMs < count.firstSeenMs) count.firstSeenMs = eventTimeMs;
  if (eventTimeMs > count.lastSeenMs) count.lastSeenMs = eventTimeMs;
  count.events += weight;
  count.users = addUser(count.users, user);
}

/** Adds the events that were counted since `earlier`; of too many releases those are dropped that have sent nothing for the longest time. */
export function addReleases(earlier: readonly ReleaseCount[], later: Iterable<ReleaseCount>): readonly ReleaseCount[] {
  const byName = new Map(earlier.map((release) => [release.name, release]));
  for (const added of later) {
    const before = byName.get(added.name);
    // Deleted first: the map is ordered by the last event.
    byName.delete(added.name);
    byName.set(added.name, before === undefined ? { ...added } : sumOf(before, added));
  }
  return [...byName.values()].slice(-MAX_RELEASES);
}

function sumOf(earlier: ReleaseCount, later: ReleaseCount): ReleaseCount {
  return {
    name: earlier.name,
    firstSeenMs: Math.min(earlier.firstSeenMs, later.firstSeenMs),
    lastSeenMs: Math.max(earlier.lastSeenMs, later.lastSeenMs),
    events: earlier.events + later.events,
    users: later.users,
  };
}
