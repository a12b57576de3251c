import type { SessionMemory } from './session-memory.js';

/**
 * What is written when several terminals remember at the same time: `theirs`, as it lies on disk, with what this one changed since `before`. Queries, views
 * and places of all are kept; where two changed the same thing, this one wins.
 */
export function mergeMemory(before: SessionMemory, ours: SessionMemory, theirs: SessionMemory): SessionMemory {
  const time = changed(before.time, ours.time, theirs.time);
  const isMouseOn = changed(before.isMouseOn, ours.isMouseOn, theirs.isMouseOn);
  return {
    queries: mergeQueries(before.queries, ours.queries, theirs.queries),
    views: [...mergeMaps(byName(before.views), byName(ours.views), byName(theirs.views)).values()],
    places: mergeMaps(before.places, ours.places, theirs.places),
    hasSeenHints: ours.hasSeenHints || theirs.hasSeenHints,
    ...(time === undefined ? {} : { time }),
    ...(isMouseOn === undefined ? {} : { isMouseOn }),
  };
}

function changed<T>(before: T, ours: T, theirs: T): T {
  return ours === before ? theirs : ours;
}

/** Those that this terminal added or used again come last; those that it took away are gone. */
function mergeQueries(before: readonly string[], ours: readonly string[], theirs: readonly string[]): string[] {
  const fresh = ours.slice(untouchedCount(before, ours));
  const known = new Set(ours);
  const gone = new Set(before.filter((query) => !known.has(query)));
  const moved = new Set(fresh);
  const earlier = [...ours, ...theirs].filter((query) => !gone.has(query) && !moved.has(query));
  return [...new Set([...earlier, ...fresh])];
}

/** How many of ours, from the oldest on, stand in the order in which they stood before: what follows was added or used again. */
function untouchedCount(before: readonly string[], ours: readonly string[]): number {
  let count = 0;
  let at = 0;
  for (const query of ours) {
    const found = before.indexOf(query, at);
    if (found < 0) break;
    at = found + 1;
    count += 1;
  }
  return count;
}

function mergeMaps<T extends object>(
  before: ReadonlyMap<string, T>,
  ours: ReadonlyMap<string, T>,
  theirs: ReadonlyMap<string, T>,
): Map<string, T> {
  const merged = new Map(theirs);
  for (const name of before.keys()) if (!ours.has(name)) merged.delete(name);
  for (const [name, value] of ours) {
    const old = before.get(name);
    if (old !== undefined && isSame(old, value)) continue;
    // Taken out first, so that what was changed last stands last.
    merged.delete(name);
    merged.set(name, value);
  }
  return merged;
}

function isSame(one: object, other: object): boolean {
  const values = new Map<string, unknown>(Object.entries(other));
  const members = Object.entries(one);
  return members.length === values.size && members.every(([key, value]) => values.get(key) === value);
}

function byName<T extends { readonly name: string }>(items: readonly T[]): Map<string, T> {
  return new Map(items.map((item) => [item.name, item]));
}
