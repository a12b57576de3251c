import { LRUCache } from 'lru-cache';
import { addUser, NO_USERS, userHash } from '../index/segments/user-sketch.js';
import { joinSessions, NO_SESSIONS, type SessionCounts, type StatusCounts } from './session-counts.js';

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

/** What was added up since the last write. */
export interface TalliedSessions {
  readonly lines: readonly { readonly release: string; readonly line: SessionCounts }[];
  /** Forgets it if it cannot be written: the senders then repeat it. */
  restore(): void;
}

/** Adds up reports between two writes of the log. */
export class SessionTally {
  /** By release and session id: the index of the status. */
  readonly #statuses = new LRUCache<string, number>({ maxSize: MAX_OPEN_SESSIONS, sizeCalculation: () => 1 });
  /** By release and environment. */
  #lines = new Map<string, { readonly release: string; readonly line: SessionCounts }>();
  /** The statuses before, oldest first. */
  #before: { readonly key: string; readonly status: number | undefined }[] = [];

  add(report: SessionReport): void {
    const counts = 'counts' in report ? report.counts : this.#update(report);
    const { release, environment, startedMs } = report;
    const key = JSON.stringify([release, environment]);
    const from = Math.floor(startedMs / HOUR_MS) * HOUR_MS;
    const users = addUser(NO_USERS, userHash(report.user));
    const crashed_users = counts.crashed > 0 ? users : NO_USERS;
    const hours = [[from, counts.sessions, counts.crashed]] as const;
    const before = this.#lines.get(key)?.line ?? { environment, ...NO_SESSIONS };
    const line = joinSessions(before, { environment, ...counts, users, crashed_users, hours });
    this.#lines.set(key, { release, line });
  }

  /** Returns what was added since. */
  take(): TalliedSessions {
    const lines = [...this.#lines.values()];
    const before = this.#before;
    this.#lines = new Map();
    this.#before = [];
    const restore = (): void => {
      for (const { key, status } of before.toReversed()) {
        if (status === undefined) this.#statuses.delete(key);
        else this.#statuses.set(key, status);
      }
    };
    return { lines, restore };
  }

  #update({ release, sid, isFirst, status }: Extract<SessionReport, { sid: string }>): StatusCounts {
    const key = JSON.stringify([release, sid]);
    const lastStatus = this.#statuses.get(key);
    const before = lastStatus ?? 0;
    const after = Math.max(before, SESSION_STATUSES.indexOf(status));
    this.#before.push({ key, status: lastStatus });
    this.#statuses.set(key, after);
    const change = (of: SessionStatus): number =>
      Number(SESSION_STATUSES[after] === of) - Number(SESSION_STATUSES[before] === of);
    return {
      sessions: Number(lastStatus === undefined && isFirst),
      errored: change('errored'),
      crashed: change('crashed'),
      abnormal: change('abnormal'),
    };
  }
}
