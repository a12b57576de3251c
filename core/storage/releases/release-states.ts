import type { ReleaseCommit, ReleaseDeploy, Timestamp } from '../../../generated/reader-answers.js';
import type { ReleaseLine } from './release-line.js';
import { joinSessions, NO_SESSIONS, type SessionCounts } from './session-counts.js';

/** What a log says about one release. */
export interface ReleaseState {
  readonly name: string;
  readonly createdAt: Timestamp | null;
  readonly releasedAt: Timestamp | null;
  readonly url: string | null;
  /** The newest first. */
  readonly commits: readonly ReleaseCommit[];
  /** UTF-16 units of the commits. */
  readonly commitUnits: number;
  /** The newest first. */
  readonly deploys: readonly ReleaseDeploy[];
  /** By name. */
  readonly environments: ReadonlyMap<string, SessionCounts>;
}

const HOUR_MS = 3_600_000;
const MAX_RELEASES = 1_000;
const MAX_DEPLOYS = 20;
const MAX_ENVIRONMENTS = 32;
/** Counts the sessions of further environments. */
const OTHER_ENVIRONMENTS = '(other)';
/** UTF-16 units of the commits of all releases, and as many for each environment as its sessions take in bytes. */
const MAX_UNITS = 16 * 1024 * 1024;
const ENVIRONMENT_UNITS = 4_096;

const NO_STATE: Omit<ReleaseState, 'name'> = {
  createdAt: null,
  releasedAt: null,
  url: null,
  commits: [],
  commitUnits: 0,
  deploys: [],
  environments: new Map(),
};

/** The fold of the lines of `releases.ndjson`; of too many releases those that changed the longest time ago are forgotten. */
export class ReleaseStates {
  /** The one that changed last is last. */
  readonly #states = new Map<string, ReleaseState>();
  #units = 0;

  constructor(lines: Iterable<ReleaseLine> = []) {
    for (const line of lines) this.apply(line);
  }

  get(name: string): ReleaseState | undefined {
    return this.#states.get(name);
  }

  all(): Iterable<ReleaseState> {
    return this.#states.values();
  }

  apply(line: ReleaseLine): void {
    const before = this.#states.get(line.release);
    if (before !== undefined) this.#forget(before);
    const after = changed(before ?? { name: line.release, ...NO_STATE }, line);
    this.#states.set(after.name, after);
    this.#units += unitsOf(after);
    for (const oldest of this.#states.values()) {
      if (this.#states.size <= MAX_RELEASES && this.#units <= MAX_UNITS) break;
      this.#forget(oldest);
    }
  }

  #forget(state: ReleaseState): void {
    this.#states.delete(state.name);
    this.#units -= unitsOf(state);
  }

  /** Removes the hours of sessions that ended before a time, not their sums; returns whether there were any. */
  removeHours(beforeMs: number): boolean {
    let isChanged = false;
    const isOld = ([fromMs]: SessionCounts['hours'][number]): boolean => fromMs + HOUR_MS <= beforeMs;
    for (const [name, { environments, ...state }] of this.#states) {
      if (![...environments.values()].some(({ hours }) => hours.some(isOld))) continue;
      isChanged = true;
      const kept = [...environments].map(([environment, counts]) => {
        return [environment, { ...counts, hours: counts.hours.filter((hour) => !isOld(hour)) }] as const;
      });
      this.#states.set(name, { ...state, environments: new Map(kept) });
    }
    return isChanged;
  }

  /** The shortest log with this fold. */
  *lines(): Generator<ReleaseLine> {
    for (const { name: release, createdAt, releasedAt, url, deploys, commits, environments } of this.#states.values()) {
      const at = createdAt ?? '';
      if (createdAt !== null) yield { kind: 'create', release, at, url };
      if (releasedAt !== null) yield { kind: 'finalize', release, at, released_at: releasedAt };
      for (const deploy of deploys.toReversed()) yield { kind: 'deploy', release, at, deploy };
      if (commits.length > 0) yield { kind: 'commits', release, at, commits };
      for (const counts of environments.values()) yield { kind: 'sessions', release, at, ...counts };
    }
  }
}

function changed(state: ReleaseState, line: ReleaseLine): ReleaseState {
  if (line.kind === 'sessions') return { ...state, environments: withSessions(state.environments, line) };
  const named = { ...state, createdAt: state.createdAt ?? line.at };
  switch (line.kind) {
    case 'create':
      return { ...named, url: line.url ?? named.url };
    case 'finalize':
      return { ...named, releasedAt: line.released_at, url: line.url ?? named.url };
    case 'deploy':
      return { ...named, deploys: [line.deploy, ...named.deploys].slice(0, MAX_DEPLOYS) };
    case 'commits':
      return { ...named, commits: line.commits, commitUnits: JSON.stringify(line.commits).length };
  }
}

function withSessions(all: ReleaseState['environments'], counts: SessionCounts): ReleaseState['environments'] {
  const isKept = all.has(counts.environment) || all.size < MAX_ENVIRONMENTS - 1;
  const environment = isKept ? counts.environment : OTHER_ENVIRONMENTS;
  return new Map(all).set(environment, joinSessions(all.get(environment) ?? { environment, ...NO_SESSIONS }, counts));
}

function unitsOf({ commitUnits, environments }: ReleaseState): number {
  return commitUnits + environments.size * ENVIRONMENT_UNITS;
}
