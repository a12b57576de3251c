import { joinUsers, NO_USERS, type UserSketch } from '../index/segments/user-sketch.js';

/** Numbers of sessions by status, each in one; in a line they are changes, which may be negative. */
export interface StatusCounts {
  readonly sessions: number;
  readonly errored: number;
  readonly crashed: number;
  readonly abnormal: number;
}

/** Sessions of one release and environment. */
export interface SessionCounts extends StatusCounts {
  readonly environment: string;
  readonly users: UserSketch;
  readonly crashed_users: UserSketch;
  /** Start of an hour in milliseconds since the epoch, and its sessions and crashed ones; the last `MAX_HOURS`, ascending. */
  readonly hours: readonly (readonly [fromMs: number, sessions: number, crashed: number])[];
}

/** Hours with sessions that are kept for each release and environment; older ones stay in the sums. */
export const MAX_HOURS = 48;

/** Nothing in any environment. */
export const NO_SESSIONS: Omit<SessionCounts, 'environment'> = {
  sessions: 0,
  errored: 0,
  crashed: 0,
  abnormal: 0,
  users: NO_USERS,
  crashed_users: NO_USERS,
  hours: [],
};

/** Adds up sessions, under the environment of the first. */
export function joinSessions(first: SessionCounts, second: SessionCounts): SessionCounts {
  const hours = new Map(first.hours.map((hour) => [hour[0], hour]));
  for (const [fromMs, sessions, crashed] of second.hours) {
    const [, before, crashedBefore] = hours.get(fromMs) ?? [fromMs, 0, 0];
    hours.set(fromMs, [fromMs, before + sessions, crashedBefore + crashed]);
  }
  return {
    environment: first.environment,
    sessions: first.sessions + second.sessions,
    errored: first.errored + second.errored,
    crashed: first.crashed + second.crashed,
    abnormal: first.abnormal + second.abnormal,
    users: joinUsers(first.users, second.users),
    crashed_users: joinUsers(first.crashed_users, second.crashed_users),
    hours: [...hours.values()].sort(([left], [right]) => left - right).slice(-MAX_HOURS),
  };
}
