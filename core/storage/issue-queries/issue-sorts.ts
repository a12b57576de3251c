import type { IssueSort } from '../../contract/reader.js';
import { inTimeSlices } from '../../time-slice.js';
import { distinctUsers, type IssueState } from '../index/content/issue-state.js';
import { hourOfMs, lastHours } from '../index/count-event.js';

type NumberOf = (issue: IssueState, hour: number) => number;

/** The columns; `hour` is the current one. */
const NUMBERS = {
  /** Milliseconds, with nanoseconds below them in a column of their own. */
  last_seen: ({ lastSeenMs }) => lastSeenMs,
  last_seen_nanos: ({ lastSeenNanos }) => lastSeenNanos,
  first_seen: ({ firstSeenMs }) => firstSeenMs,
  first_seen_nanos: ({ firstSeenNanos }) => firstSeenNanos,
  count: ({ count }) => count,
  /** Microseconds since the epoch. */
  first_received: ({ firstReceivedAtMicros }) => firstReceivedAtMicros,
  tie: ({ issueId }) => tieOf(issueId),
  users: (issue) => distinctUsers(issue),
  trend: ({ hours }, hour) =>
    hours.length === 0 ? 0 : lastHours(hours, hour).reduce((sum, events) => sum + events, 0),
} satisfies Record<string, NumberOf>;

export type NumberColumn = keyof typeof NUMBERS;

/** Expensive to compute, so they are held once a list has sorted by them. */
const ON_DEMAND: readonly string[] = ['users', 'trend'];

/** The sort of a list; some columns are built only for lists that need them. */
export interface SortNeeds {
  readonly sort?: IssueSort | undefined;
  /** Milliseconds since the epoch; trends end with its hour. */
  readonly nowMs: number;
}

const NO_NUMBERS = new Float64Array(0);

/** Sort values of issues, in columns. */
export class IssueSorts {
  readonly #columns = new Map<NumberColumn, { readonly of: NumberOf; values: Float64Array }>();
  /** The last hour of `trend`. */
  #hour = 0;
  #capacity = 0;

  constructor() {
    for (const name of Object.keys(NUMBERS) as NumberColumn[]) {
      if (!ON_DEMAND.includes(name)) this.#columns.set(name, { of: NUMBERS[name], values: NO_NUMBERS });
    }
  }

  /** Empty for users and trend until a list needs them. */
  numbers(name: NumberColumn): Float64Array {
    return this.#columns.get(name)?.values ?? NO_NUMBERS;
  }

  reserve(capacity: number): void {
    this.#capacity = capacity;
    for (const column of this.#columns.values()) {
      const longer = new Float64Array(capacity);
      longer.set(column.values.subarray(0, capacity));
      column.values = longer;
    }
  }

  /** Copies an issue; `ordinal` must be below the reserved number. */
  copy(ordinal: number, issue: IssueState): void {
    for (const { of, values } of this.#columns.values()) values[ordinal] = of(issue, this.#hour);
  }

  /** Builds the column a list needs, in time slices. */
  async prepare(
    { sort, nowMs }: SortNeeds,
    length: number,
    at: (ordinal: number) => IssueState | undefined,
  ): Promise<void> {
    if (sort !== 'users' && sort !== 'trend') return;
    const hour = hourOfMs(nowMs);
    if (this.#columns.has(sort) && (sort === 'users' || hour === this.#hour)) return;
    const values = new Float64Array(this.#capacity);
    await inTimeSlices(length, (ordinal) => {
      const issue = at(ordinal);
      if (issue !== undefined) values[ordinal] = NUMBERS[sort](issue, hour);
    });
    if (sort === 'trend') this.#hour = hour;
    this.#columns.set(sort, { of: NUMBERS[sort], values });
  }
}

/** Sorts like the first 48 bits of the id: comparing them avoids reading issues with equal counts. */
export function tieOf(issueId: string): number {
  return Number.parseInt(issueId.slice(0, 8) + issueId.slice(9, 13), 16);
}
