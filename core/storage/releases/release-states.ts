import type { ReleaseCommit, ReleaseDeploy, Timestamp } from '../../../generated/reader-answers.js';
import { joinUsers, NO_USERS, type UserSketch } from '../index/segments/user-sketch.js';
import type { ReleaseLine, SessionsLine, StatusCounts } from './release-line.js';

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
  readonly environments: ReadonlyMap<string, EnvironmentSessions>;
}

/** The sessions of a release in one environment. */
export interface EnvironmentSessions extends StatusCounts {
  readonly users: UserSketch;
  readonly crashedUsers: UserSketch;
  /** The last ones, by their start in milliseconds. */
  readonly hours: ReadonlyMap<number, { readonly sessions: number; readonly crashed: number }>;
}

const MAX_RELEASES = 1_000;
const MAX_DEPLOYS = 20;
const MAX_ENVIRONMENTS = 32;
/** Counts the sessions of further environments. */
const OTHER_ENVIRONMENTS = '(other)';
/** UTF-16 units of the commits of all releases, and as many for each environment as its sessions take in bytes. */
const MAX_UNITS = 16 * 1024 * 1024;
const ENVIRONMENT_UNITS = 4_096;

/** Hours of sessions that are kept for each release and environment; older ones stay in the sums. */
export const MAX_HOURS = 48;

const NO_STATE: Omit<ReleaseState, 'name'> = {
  createdAt: null,
  releasedAt: null,
  url: null,
  commits: [],
  commitUnits: 0,
  deploys: [],
  environments: new Map(),
};
const NO_SESSIONS: EnvironmentSessions = {
  ...{ sessions: 0, errored: 0, crashed: 0, abnormal: 0 },
  users: NO_USERS,
  crashedUsers: NO_USERS,
  hours: new Map(),
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

  /** The shortest log with this fold. */
  *lines(): Generator<ReleaseLine> {
    for (const { name: release, createdAt, releasedAt, url, deploys, commits, environments } of this.#states.values()) {
      const at = createdAt ?? '';
      if (createdAt !== null) yield { kind: 'create', release, at, url };
      if (releasedAt !== null) yield { kind: 'finalize', release, at, released_at: releasedAt };
      for (const deploy of deploys.toReversed()) yield { kind: 'deploy', release, at, deploy };
      if (commits.length > 0) yield { kind: 'commits', release, at, commits };
      for (const [environment, { crashedUsers: crashed_users, hours, ...counts }] of environments) {
        const listed = [...hours].map(([from, { sessions, crashed }]) => [from, sessions, crashed] as const);
        yield { kind: 'sessions', release, at, environment, ...counts, crashed_users, hours: listed };
      }
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

function withSessions(all: ReleaseState['environments'], line: SessionsLine): ReleaseState['environments'] {
  const name = all.has(line.environment) || all.size < MAX_ENVIRONMENTS - 1 ? line.environment : OTHER_ENVIRONMENTS;
  const before = all.get(name) ?? NO_SESSIONS;
  const hours = new Map(before.hours);
  for (const [from, sessions, crashed] of line.hours) {
    const hour = hours.get(from);
    hours.set(from, { sessions: (hour?.sessions ?? 0) + sessions, crashed: (hour?.crashed ?? 0) + crashed });
  }
  const kept = [...hours].sort(([one], [other]) => one - other).slice(-MAX_HOURS);
  return new Map(all).set(name, {
    sessions: before.sessions + line.sessions,
    errored: before.errored + line.errored,
    crashed: before.crashed + line.crashed,
    abnormal: before.abnormal + line.abnormal,
    users: joinUsers(before.users, line.users),
    crashedUsers: joinUsers(before.crashedUsers, line.crashed_users),
    hours: new Map(kept),
  });
}

function unitsOf({ commitUnits, environments }: ReleaseState): number {
  return commitUnits + environments.size * ENVIRONMENT_UNITS;
}
