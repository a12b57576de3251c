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
/** Environments with sessions of one release, without `OTHER_ENVIRONMENTS`. */
const MAX_ENVIRONMENTS = 31;
/** Counts the sessions of further environments. */
const OTHER_ENVIRONMENTS = '(other)';
/** UTF-16 units of the commits of all releases. */
const MAX_COMMIT_UNITS = 16 * 1024 * 1024;
/** Environments with sessions of all releases, each of at most some 4 kB. */
const MAX_ALL_ENVIRONMENTS = 2_048;

const NO_STATE: Omit<ReleaseState, 'name'> = {
  createdAt: null,
  releasedAt: null,
  url: null,
  commits: [],
  commitUnits: 0,
  deploys: [],
  environments: new Map(),
};

/**
 * The fold of the lines of `releases.ndjson`. Releases that only sessions name never take the place of recorded ones: if there are too many, they are
 * forgotten first. Of both kinds those go first that changed the longest time ago.
 */
export class ReleaseStates {
  /** Releases with a `createdAt`; the one that changed last is last. */
  readonly #recorded = new Map<string, ReleaseState>();
  /** Releases that only sessions name; the one that changed last is last. */
  readonly #reported = new Map<string, ReleaseState>();
  #commitUnits = 0;
  #environments = 0;

  constructor(lines: Iterable<ReleaseLine> = []) {
    for (const line of lines) this.apply(line);
  }

  get(name: string): ReleaseState | undefined {
    return this.#recorded.get(name) ?? this.#reported.get(name);
  }

  *all(): Generator<ReleaseState> {
    yield* this.#recorded.values();
    yield* this.#reported.values();
  }

  apply(line: ReleaseLine): void {
    const before = this.get(line.release);
    if (before !== undefined) this.#forget(before);
    this.#add(changed(before ?? { name: line.release, ...NO_STATE }, line));
    while (this.#recorded.size + this.#reported.size > MAX_RELEASES) this.#forgetOldest();
    while (this.#environments > MAX_ALL_ENVIRONMENTS) this.#forgetOldestSessions();
    while (this.#commitUnits > MAX_COMMIT_UNITS) this.#forgetOldestRecorded();
  }

  #add(state: ReleaseState): void {
    const states = state.createdAt === null ? this.#reported : this.#recorded;
    states.set(state.name, state);
    this.#commitUnits += state.commitUnits;
    this.#environments += state.environments.size;
  }

  #forget(state: ReleaseState): void {
    this.#recorded.delete(state.name);
    this.#reported.delete(state.name);
    this.#commitUnits -= state.commitUnits;
    this.#environments -= state.environments.size;
  }

  #forgetOldest(): void {
    const [oldest] = this.#reported.values();
    if (oldest === undefined) this.#forgetOldestRecorded();
    else this.#forget(oldest);
  }

  #forgetOldestRecorded(): void {
    const [oldest] = this.#recorded.values();
    if (oldest !== undefined) this.#forget(oldest);
  }

  /** Forgets the oldest release that only sessions name; without one, the sessions of the oldest recorded release with sessions. */
  #forgetOldestSessions(): void {
    const [oldest] = this.#reported.values();
    if (oldest !== undefined) {
      this.#forget(oldest);
      return;
    }
    for (const state of this.#recorded.values()) {
      if (state.environments.size === 0) continue;
      this.#environments -= state.environments.size;
      this.#recorded.set(state.name, { ...state, environments: new Map() });
      return;
    }
  }

  /** Removes the hours of sessions that ended before a time, not their sums; returns whether there were any. */
  removeHours(beforeMs: number): boolean {
    const isOld = ([fromMs]: SessionCounts['hours'][number]): boolean => fromMs + HOUR_MS <= beforeMs;
    let isChanged = false;
    for (const states of [this.#recorded, this.#reported]) {
      for (const [name, { environments, ...state }] of states) {
        if (![...environments.values()].some(({ hours }) => hours.some(isOld))) continue;
        isChanged = true;
        const newer = [...environments].map(([environment, counts]) => {
          return [environment, { ...counts, hours: counts.hours.filter((hour) => !isOld(hour)) }] as const;
        });
        states.set(name, { ...state, environments: new Map(newer) });
      }
    }
    return isChanged;
  }

  /** The shortest log with this fold. */
  *lines(): Generator<ReleaseLine> {
    for (const { name: release, createdAt, releasedAt, url, deploys, commits, environments } of this.all()) {
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
  if (line.kind === 'sessions') return { ...state, environments: withSessions(state, line) };
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

/** Adds sessions. If there are too many environments, those of deploys keep their names, and others are counted together. */
function withSessions(
  { environments, deploys }: Pick<ReleaseState, 'environments' | 'deploys'>,
  counts: SessionCounts,
): ReleaseState['environments'] {
  const all = new Map(environments);
  const add = (environment: string, added: SessionCounts): void => {
    all.set(environment, joinSessions(all.get(environment) ?? { environment, ...NO_SESSIONS }, added));
  };
  const named = [...all.values()].filter(({ environment }) => environment !== OTHER_ENVIRONMENTS);
  if (all.has(counts.environment) || named.length < MAX_ENVIRONMENTS) {
    add(counts.environment, counts);
    return all;
  }
  const deployed = new Set(deploys.map(({ environment }) => environment));
  const replaced = named.find(({ environment }) => !deployed.has(environment));
  if (!deployed.has(counts.environment) || replaced === undefined) {
    add(OTHER_ENVIRONMENTS, counts);
    return all;
  }
  all.delete(replaced.environment);
  add(OTHER_ENVIRONMENTS, replaced);
  add(counts.environment, counts);
  return all;
}
