import { MIN_SPIKE_EVENTS } from '../../issues/spiking.js';
import { hourOfMs } from '../index/count-event.js';
import type { IssueColumns } from './issue-columns.js';
import type { IssueStatuses } from './status-column.js';

const MS_PER_HOUR = 3_600_000;

/** States and ranks of shown issues by ordinal, read from columns where possible. */
export class IssueRanks {
  readonly statuses: IssueStatuses;
  readonly nowMs: number;
  readonly #firstReceived: Float64Array;
  readonly #lastSeenMs: Float64Array;
  readonly #counts: Float64Array;
  /** Issues last seen earlier do not spike. */
  readonly #spikesFromMs: number;

  constructor(statuses: IssueStatuses, columns: IssueColumns) {
    const { nowMs } = statuses.lifecycles;
    this.statuses = statuses;
    this.nowMs = nowMs;
    this.#firstReceived = columns.sorts.numbers('first_received');
    this.#lastSeenMs = columns.sorts.numbers('last_seen');
    this.#counts = columns.sorts.numbers('count');
    this.#spikesFromMs = (hourOfMs(nowMs) - 1) * MS_PER_HOUR;
  }

  /** For open issues only. */
  isNew(ordinal: number): boolean {
    return this.statuses.lifecycles.isFresh(this.#firstReceived[ordinal] ?? 0);
  }

  isSpiking(ordinal: number): boolean {
    if ((this.#lastSeenMs[ordinal] ?? 0) < this.#spikesFromMs) return false;
    return (this.#counts[ordinal] ?? 0) >= MIN_SPIKE_EVENTS && this.statuses.isSpiking(ordinal);
  }

  /** Whether it is open and regressed, spiking or new. */
  hasSign(ordinal: number): boolean {
    if (this.statuses.status(ordinal) !== 'open') return false;
    return this.statuses.isRegressed(ordinal) || this.isNew(ordinal) || this.isSpiking(ordinal);
  }

  /** Highest first: regressed, spiking, new, open, ignored, resolved. */
  rankOf(ordinal: number): number {
    const status = this.statuses.status(ordinal);
    if (status === 'resolved') return 0;
    if (status === 'ignored') return 1;
    if (this.statuses.isRegressed(ordinal)) return 5;
    if (this.isSpiking(ordinal)) return 4;
    return this.isNew(ordinal) ? 3 : 2;
  }
}
