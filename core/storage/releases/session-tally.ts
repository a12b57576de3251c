import { LRUCache } from 'lru-cache';
import { addUser, NO_USERS, type UserSketch, userHash } from '../index/segments/user-sketch.js';
import type { SessionsLine, StatusCounts } from './release-line.js';

/** How a session went; a later one is worse, and a session never gets better. */
export const SESSION_STATUSES = ['ok', 'errored', 'abnormal', 'crashed'] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];

/** One update of a session, or counts of sessions that the sender added up. */
export type SessionReport = {
  readonly release: string;
  readonly environment: string;
  /** Null if unknown. */
  readonly user: string | null;
  /** Milliseconds since the epoch. */
  readonly startedMs: number;
} & (
  | {
      readonly sid: string;
      /** Whether it begins the session. */
      readonly isFirst: boolean;
      readonly status: SessionStatus;
    }
  | { readonly counts: StatusCounts }
);

/** Sessions whose status is remembered, to count their updates once. An update of a forgotten one counts as one of a session that was ok. */
const MAX_OPEN_SESSIONS = 50_000;
const HOUR_MS = 3_600_000;
const NOTHING: StatusCounts = { sessions: 0, errored: 0, crashed: 0, abnormal: 0 };

/** Adds up reports between two writes of the log. */
export class SessionTally {
  /** By release and session id: the index of the status. */
  readonly #statuses = new LRUCache<string, number>({ max: MAX_OPEN_SESSIONS });
  /** By release and environment. */
  #lines = new Map<string, { readonly release: string; line: SessionsLine }>();
  /** The statuses before, oldest first. */
  #before: (readonly [key: string, status: number | undefined])[] = [];

  add(report: SessionReport): void {
    const counts = 'counts' in report ? report.counts : this.#update(report);
    const { release, environment, startedMs } = report;
    const key = JSON.stringify([release, environment]);
    const { line } = this.#lines.get(key) ?? {
      line: { environment, ...NOTHING, users: NO_USERS, crashed_users: NO_USERS, hours: [] },
    };
    const hash = userHash(report.user);
    const from = Math.floor(startedMs / HOUR_MS) * HOUR_MS;
    const hour = line.hours.find(([one]) => one === from) ?? [from, 0, 0];
    const sum = (name: keyof StatusCounts): number => line[name] + counts[name];
    const hours = [
      ...line.hours.filter((one) => one !== hour),
      [from, hour[1] + counts.sessions, hour[2] + counts.crashed] as const,
    ];
    const crashedUsers: UserSketch = counts.crashed > 0 ? addUser(line.crashed_users, hash) : line.crashed_users;
    this.#lines.set(key, {
      release,
      line: {
        environment,
        ...{ sessions: sum('sessions'), errored: sum('errored'), crashed: sum('crashed'), abnormal: sum('abnormal') },
        users: addUser(line.users, hash),
        crashed_users: crashedUsers,
        hours,
      },
    });
  }

  /** Returns what was added since, and how to forget it if it cannot be written: the senders then repeat it. */
  take() {
    const lines = [...this.#lines.values()];
    const before = this.#before;
    this.#lines = new Map();
    this.#before = [];
    const restore = (): void => {
      for (const [key, status] of before.reverse()) {
        if (status === undefined) this.#statuses.delete(key);
        else this.#statuses.set(key, status);
      }
    };
    return { lines, restore };
  }

  #update({ release, sid, isFirst, status }: Extract<SessionReport, { sid: string }>): StatusCounts {
    const key = JSON.stringify([release, sid]);
    const known = this.#statuses.get(key);
    const before = known ?? 0;
    const after = Math.max(before, SESSION_STATUSES.indexOf(status));
    this.#before.push([key, known]);
    this.#statuses.set(key, after);
    const counts: Record<string, number> = { ...NOTHING, ok: 0 };
    if (known === undefined && isFirst) counts['sessions'] = 1;
    for (const [index, change] of [
      [before, -1],
      [after, 1],
    ] as const) {
      const name = SESSION_STATUSES[index] ?? 'ok';
      counts[name] = (counts[name] ?? 0) + change;
    }
    const { sessions = 0, errored = 0, crashed = 0, abnormal = 0 } = counts;
    return { sessions, errored, crashed, abnormal };
  }
}
