/** What the events of one release count together. */
export interface ReleaseCount {
  readonly name: string;
  /** Event time of the earliest event. */
  readonly firstSeenMs: number;
  /** By weight, as issues count them; those that retention removed since are included. */
  readonly events: number;
}

/** Releases that an index knows; the manifest names them all. */
const MAX_RELEASES = 500;

/** Counts more events; of too many releases those are dropped that have sent nothing for the longest time. */
export function addReleases(known: readonly ReleaseCount[], more: Iterable<ReleaseCount>): readonly ReleaseCount[] {
  const byName = new Map(known.map((release) => [release.name, release]));
  for (const { name, firstSeenMs, events } of more) {
    const before = byName.get(name) ?? { firstSeenMs, events: 0 };
    // Deleted first: the map is ordered by the last event.
    byName.delete(name);
    byName.set(name, {
      name,
      firstSeenMs: Math.min(before.firstSeenMs, firstSeenMs),
      events: before.events + events,
    });
  }
  return [...byName.values()].slice(-MAX_RELEASES);
}
