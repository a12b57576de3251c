import type { ReleaseHealth, ReleaseSummary, Releases, SessionCounts } from '../../../generated/reader-answers.js';
import { compareTexts } from '../../event/text.js';
import { formatTimestamp } from '../../normalize/timestamp.js';
import type { ReleaseCount } from '../index/segments/release-counts.js';
import { countUsers, NO_USERS } from '../index/segments/user-sketch.js';
import { type ReleaseState, ReleaseStates } from './release-states.js';
import { joinSessions, type SessionCounts as StoredCounts } from './session-counts.js';

/** Numbers of shown issues by release; a release without one is missing. */
export interface ReleaseIssues {
  /** Their first event is of it. */
  readonly new: ReadonlyMap<string, number>;
  /** An event of it brought them back, see `Lifecycle.regressedIn`. */
  readonly regressed: ReadonlyMap<string, number>;
  /** They have events of the release before, by first event, and none of it. */
  readonly gone: ReadonlyMap<string, number>;
}

/** What is known of releases, by name. */
export interface KnownReleases {
  readonly counts: readonly ReleaseCount[];
  readonly states: ReleaseStates;
  readonly issues: ReleaseIssues;
}

const NONE: ReadonlyMap<string, number> = new Map();
/** Of a store without releases. */
export const NOTHING_KNOWN: KnownReleases = {
  counts: [],
  states: new ReleaseStates(),
  issues: { new: NONE, regressed: NONE, gone: NONE },
};

/** Lists the releases that events or the log name, in the order of `compareReleases`. */
export function listReleases(known: KnownReleases, limit: number): Releases {
  const { counts, states } = known;
  const countOf = new Map(counts.map((count) => [count.name, count]));
  const names = new Set([...countOf.keys(), ...[...states.all()].map(({ name }) => name)]);
  const ordered = [...names]
    .map((name) => ({ name, fromMs: beginningMs(countOf.get(name), states.get(name)) }))
    .sort((a, b) => b.fromMs - a.fromMs || compareTexts(b.name, a.name));
  const releases = ordered.slice(0, limit).map(({ name }) => summarizeRelease(name, countOf.get(name), known));
  return { releases, total: ordered.length };
}

function beginningMs(count: ReleaseCount | undefined, state: ReleaseState | undefined): number {
  if (count !== undefined) return count.firstSeenMs;
  if (state === undefined) return 0;
  const firstHours = [...state.environments.values()].map(({ hours: [first] }) => first?.[0] ?? 0);
  return state.createdAt === null ? Math.min(...firstHours) : Date.parse(state.createdAt);
}

/** Orders releases: the one first seen last is first; without events its creation counts, else its first hour of sessions. Ties: the later name first. */
export function compareReleases(a: ReleaseSummary, b: ReleaseSummary): number {
  return compareTexts(beginningOf(b), beginningOf(a)) || compareTexts(b.name, a.name);
}

function beginningOf({ first_seen, created_at, health }: ReleaseSummary): string {
  return first_seen ?? created_at ?? health?.hours[0]?.from ?? '';
}

/** Summarizes what events and the log know of a release. */
export function summarizeRelease(
  name: string,
  count: ReleaseCount | undefined,
  { states, issues }: KnownReleases,
): ReleaseSummary {
  const state = states.get(name);
  const timeOf = (ms: number | undefined) => (ms === undefined ? null : formatTimestamp({ ms, nanos: 0 }));
  return {
    name,
    first_seen: timeOf(count?.firstSeenMs),
    last_seen: timeOf(count?.lastSeenMs),
    events: count?.events ?? 0,
    // Ids can be chosen to look like many.
    users: Math.min(count?.events ?? 0, countUsers(count?.users ?? NO_USERS)),
    new_issues: issues.new.get(name) ?? 0,
    regressed_issues: issues.regressed.get(name) ?? 0,
    gone_issues: issues.gone.get(name) ?? 0,
    created_at: state?.createdAt ?? null,
    released_at: state?.releasedAt ?? null,
    url: state?.url ?? null,
    commits: state?.commits.length ?? 0,
    deploys: [...(state?.deploys ?? [])],
    health: healthOf([...(state?.environments.values() ?? [])]),
  };
}

function healthOf(environments: readonly StoredCounts[]): ReleaseHealth | null {
  const [first, ...others] = environments;
  if (first === undefined) return null;
  const all = others.reduce(joinSessions, first);
  return withShares({
    ...countsOf(all),
    environments: environments
      .map((counts) => ({ environment: counts.environment, ...countsOf(counts) }))
      .sort((a, b) => (a.environment < b.environment ? -1 : 1)),
    hours: all.hours.map(([ms, sessions, crashed]) => {
      return { from: formatTimestamp({ ms, nanos: 0 }), sessions: atLeast0(sessions), crashed: atLeast0(crashed) };
    }),
  });
}

function countsOf({ sessions, errored, crashed, abnormal, users, crashed_users }: StoredCounts): SessionCounts {
  return {
    sessions: atLeast0(sessions),
    errored: atLeast0(errored),
    crashed: atLeast0(crashed),
    abnormal: atLeast0(abnormal),
    users: countUsers(users),
    crashed_users: countUsers(crashed_users),
  };
}

/** A session that the collector forgot may be counted down once more than up. */
function atLeast0(count: number): number {
  return Math.max(0, count);
}

/** Adds the crash-free percentages to counts. */
export function withShares<Counts extends SessionCounts>(
  counts: Counts,
): Counts & Pick<ReleaseHealth, 'crash_free_sessions' | 'crash_free_users'> {
  const { sessions, crashed, users, crashed_users: crashedUsers } = counts;
  return { ...counts, crash_free_sessions: shareOf(sessions, crashed), crash_free_users: shareOf(users, crashedUsers) };
}

/** Rounds down, so that 100 means no crash. */
function shareOf(all: number, crashed: number): number | null {
  return all === 0 ? null : Math.floor((1 - Math.min(1, crashed / all)) * 10_000 + 1e-9) / 100;
}
