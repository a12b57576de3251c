import type { IssueSort } from '../../contract/reader.js';
import { beginTimeSlice } from '../../time-slice.js';
import { distinctUsers, type IssueState } from '../index/content/issue-state.js';
import { hourOfMs, lastHours } from '../index/count-event.js';

/** Sorts by a number stored on the issue or derived from it. */
type NumberSort = Exclude<IssueSort, 'level' | 'status'>;

export interface TimeColumn {
  readonly ms: Float64Array;
  readonly nanos: Uint32Array;
}

/** The sort of a list; some columns are built only for lists that need them. */
export interface SortNeeds {
  readonly sort?: IssueSort | undefined;
  /** Milliseconds since the epoch; trends end with its hour. */
  readonly nowMs: number;
}

interface SortedIssues {
  readonly length: number;
  readonly at: (ordinal: number) => IssueState | undefined;
}

type DerivedSort = 'users' | 'trend';

/** Numbers that are expensive to compute; `hour` is the current one. */
const DERIVED_NUMBERS: Readonly<Record<DerivedSort, (issue: IssueState, hour: number) => number>> = {
  users: (issue) => distinctUsers(issue),
  trend: ({ hours }, hour) =>
    hours.length === 0 ? 0 : lastHours(hours, hour).reduce((sum, events) => sum + events, 0),
};

const NO_NUMBERS = new Float64Array(0);
/** Issues between two checks of the clock. */
const ISSUES_PER_CLOCK_CHECK = 256;

/** Sort values of issues, in columns. Users and trends are held once a list has sorted by them. */
export class IssueSorts {
  lastSeen = createTimes(0);
  firstSeen = createTimes(0);
  #counts = new Float64Array(0);
  /** Microseconds since the epoch. */
  firstReceived = new Float64Array(0);
  /** The first 48 bits of the id: comparing them avoids reading issues with equal counts. */
  ties = new Float64Array(0);
  readonly #numbers = new Map<DerivedSort, Float64Array>();
  /** The last hour of `trend`. */
  #hour = 0;
  #capacity = 0;

  /** Empty for users and trend until a list needs them. */
  numbers(sort: NumberSort): Float64Array {
    switch (sort) {
      case 'last_seen':
        return this.lastSeen.ms;
      case 'first_seen':
        return this.firstSeen.ms;
      case 'count':
        return this.#counts;
      case 'users':
      case 'trend':
        return this.#numbers.get(sort) ?? NO_NUMBERS;
    }
  }

  reserve(capacity: number): void {
    this.#capacity = capacity;
    this.lastSeen = grownTimes(this.lastSeen, capacity);
    this.firstSeen = grownTimes(this.firstSeen, capacity);
    this.#counts = grown(this.#counts, capacity);
    this.firstReceived = grown(this.firstReceived, capacity);
    this.ties = grown(this.ties, capacity);
    for (const [sort, column] of this.#numbers) this.#numbers.set(sort, grown(column, capacity));
  }

  /** Copies an issue; `ordinal` must be below the reserved number. */
  copy(ordinal: number, issue: IssueState): void {
    this.lastSeen.ms[ordinal] = issue.lastSeenMs;
    this.lastSeen.nanos[ordinal] = issue.lastSeenNanos;
    this.firstSeen.ms[ordinal] = issue.firstSeenMs;
    this.firstSeen.nanos[ordinal] = issue.firstSeenNanos;
    this.#counts[ordinal] = issue.count;
    this.firstReceived[ordinal] = issue.firstReceivedAtMicros;
    this.ties[ordinal] ||= tieOf(issue.issueId);
    for (const [sort, column] of this.#numbers) column[ordinal] = DERIVED_NUMBERS[sort](issue, this.#hour);
  }

  /** Builds the column a list needs, in time slices. */
  async prepare({ sort, nowMs }: SortNeeds, { length, at }: SortedIssues): Promise<void> {
    if (sort !== 'users' && sort !== 'trend') return;
    const hour = hourOfMs(nowMs);
    if (this.#numbers.has(sort) && (sort === 'users' || hour === this.#hour)) return;
    const column = new Float64Array(this.#capacity);
    const slice = beginTimeSlice();
    for (let ordinal = 0; ordinal < length; ordinal += 1) {
      const issue = at(ordinal);
      if (issue !== undefined) column[ordinal] = DERIVED_NUMBERS[sort](issue, hour);
      if (ordinal % ISSUES_PER_CLOCK_CHECK === 0 && slice.isOver) await slice.next();
    }
    if (sort === 'trend') this.#hour = hour;
    this.#numbers.set(sort, column);
  }
}

function createTimes(issues: number): { ms: Float64Array<ArrayBuffer>; nanos: Uint32Array<ArrayBuffer> } {
  return { ms: new Float64Array(issues), nanos: new Uint32Array(issues) };
}

function grownTimes({ ms, nanos }: TimeColumn, capacity: number): ReturnType<typeof createTimes> {
  const times = createTimes(capacity);
  times.ms.set(ms.subarray(0, capacity));
  times.nanos.set(nanos.subarray(0, capacity));
  return times;
}

function grown(column: Float64Array, capacity: number): Float64Array<ArrayBuffer> {
  const longer = new Float64Array(capacity);
  longer.set(column.subarray(0, capacity));
  return longer;
}

/** Sorts like the first 48 bits of the id. */
export function tieOf(issueId: string): number {
  return Number.parseInt(issueId.slice(0, 8) + issueId.slice(9, 13), 16);
}
