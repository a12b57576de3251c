import type { IssueGrouping, IssueSort } from '../../contract/reader.js';
import { beginTimeSlice } from '../../time-slice.js';
import type { IssueState } from '../index/content/issue-state.js';
import { distinctUsers } from '../index/content/user-sketch.js';
import { hourOfMs, lastHours } from '../index/count-event.js';
import { isTextSort, SORT_TEXTS, type TextSort } from './sort-keys.js';
import { RankedTexts, type TextOrder } from './string-ranks.js';

/** Sorts by a number that an issue has itself. */
export type NumberSort = Exclude<IssueSort, TextSort | 'level' | 'status'>;

/** Event times by ordinal: milliseconds, and nanoseconds after them. */
export interface TimeColumn {
  readonly ms: Float64Array;
  readonly nanos: Uint32Array;
}

/** What a list is ordered by, so that what only few lists need is made for those. */
export interface SortNeeds {
  readonly sort?: IssueSort | undefined;
  readonly group?: IssueGrouping | undefined;
  /** Wall clock in milliseconds since the epoch; trends end with its hour. */
  readonly nowMs: number;
}

/** The issues to make a column from. */
export interface SortedIssues {
  readonly length: number;
  readonly at: (ordinal: number) => IssueState | undefined;
}

type DerivedSort = 'users' | 'trend';

/** Numbers that take long to tell, by the hour that is running. */
const DERIVED_NUMBERS: Readonly<Record<DerivedSort, (issue: IssueState, hour: number) => number>> = {
  users: (issue) => distinctUsers(issue),
  trend: ({ hours }, hour) =>
    hours.length === 0 ? 0 : lastHours(hours, hour).reduce((sum, events) => sum + events, 0),
};

const NO_NUMBERS = new Float64Array(0);
/** Texts that may be held beyond one for each issue before they are made anew from those that issues have now. */
const SPARE_TEXTS = 4096;
/** Issues between two looks at the clock. */
const ISSUES_PER_CLOCK_CHECK = 256;

/** What issues are sorted by, column by column. Texts, users and trends are held from the first list on that is sorted by them. */
export class IssueSorts {
  #lastSeen = createTimes(0);
  #firstSeen = createTimes(0);
  #counts = new Float64Array(0);
  #firstReceived = new Float64Array(0);
  #ties = new Float64Array(0);
  /** Those that some list was sorted by. */
  readonly #numbers = new Map<DerivedSort, Float64Array>();
  /** Hour with which the days of `trend` end. */
  #hour = 0;
  readonly #texts = new Map<TextSort, RankedTexts>();
  #capacity = 0;

  get lastSeen(): TimeColumn {
    return this.#lastSeen;
  }

  get firstSeen(): TimeColumn {
    return this.#firstSeen;
  }

  /** Receipt of the first event in microseconds since the epoch. */
  get firstReceived(): Float64Array {
    return this.#firstReceived;
  }

  /** The first 48 bits of the issue's id, so that few of very many issues with the same count need to be looked at. */
  get ties(): Float64Array {
    return this.#ties;
  }

  /** Of each number that issues are sorted by; of users and trend none before a list needed them. */
  numbers(sort: NumberSort): Float64Array {
    switch (sort) {
      case 'last_seen':
        return this.#lastSeen.ms;
      case 'first_seen':
        return this.#firstSeen.ms;
      case 'count':
        return this.#counts;
      case 'users':
      case 'trend':
        return this.#numbers.get(sort) ?? NO_NUMBERS;
    }
  }

  /** Undefined before a list needed it. */
  textOrder(sort: TextSort, issues: number): TextOrder | undefined {
    return this.#texts.get(sort)?.order(issues);
  }

  reserve(capacity: number): void {
    this.#capacity = capacity;
    this.#lastSeen = grownTimes(this.#lastSeen, capacity);
    this.#firstSeen = grownTimes(this.#firstSeen, capacity);
    this.#counts = grown(this.#counts, capacity);
    this.#firstReceived = grown(this.#firstReceived, capacity);
    this.#ties = grown(this.#ties, capacity);
    for (const [sort, column] of this.#numbers) this.#numbers.set(sort, grown(column, capacity));
    for (const texts of this.#texts.values()) texts.reserve(capacity);
  }

  /** Takes an issue as it is now; its ordinal must be within what was reserved. */
  copy(ordinal: number, issue: IssueState): void {
    this.#lastSeen.ms[ordinal] = issue.lastSeenMs;
    this.#lastSeen.nanos[ordinal] = issue.lastSeenNanos;
    this.#firstSeen.ms[ordinal] = issue.firstSeenMs;
    this.#firstSeen.nanos[ordinal] = issue.firstSeenNanos;
    this.#counts[ordinal] = issue.count;
    this.#firstReceived[ordinal] = issue.firstReceivedAtMicros;
    this.#ties[ordinal] ||= tieOf(issue.issueId);
    for (const [sort, column] of this.#numbers) column[ordinal] = DERIVED_NUMBERS[sort](issue, this.#hour);
    for (const [sort, texts] of this.#texts) copyText(texts, sort, ordinal, issue);
  }

  /** Makes what a list is sorted by and ranks its texts; in slices, so that the event loop turns. */
  async prepare({ sort, group, nowMs }: SortNeeds, issues: SortedIssues): Promise<void> {
    if (sort === 'users' || sort === 'trend') await this.#count(sort, hourOfMs(nowMs), issues);
    if (sort !== undefined && isTextSort(sort)) await this.#rank(sort, issues);
    if (group === 'service') await this.#rank('group', issues);
  }

  async #count(sort: DerivedSort, hour: number, issues: SortedIssues): Promise<void> {
    const isCounted = this.#numbers.has(sort) && (sort !== 'trend' || hour === this.#hour);
    if (isCounted) return;
    const column = new Float64Array(this.#capacity);
    await forEachIssue(issues, (ordinal, issue) => {
      column[ordinal] = DERIVED_NUMBERS[sort](issue, hour);
    });
    if (sort === 'trend') this.#hour = hour;
    this.#numbers.set(sort, column);
  }

  async #rank(sort: TextSort, issues: SortedIssues): Promise<void> {
    let texts = this.#texts.get(sort);
    if (texts === undefined || texts.size > issues.length + SPARE_TEXTS) {
      const made = new RankedTexts();
      made.reserve(this.#capacity);
      await forEachIssue(issues, (ordinal, issue) => copyText(made, sort, ordinal, issue));
      this.#texts.set(sort, made);
      texts = made;
    }
    await texts.rank();
  }
}

async function forEachIssue({ length, at }: SortedIssues, visit: (ordinal: number, issue: IssueState) => void) {
  const slice = beginTimeSlice();
  for (let ordinal = 0; ordinal < length; ordinal += 1) {
    const issue = at(ordinal);
    if (issue !== undefined) visit(ordinal, issue);
    if (ordinal % ISSUES_PER_CLOCK_CHECK === 0 && slice.isOver) await slice.next();
  }
}

function copyText(texts: RankedTexts, sort: TextSort, ordinal: number, issue: IssueState): void {
  const { of, isFixed } = SORT_TEXTS[sort];
  if (!isFixed || !texts.has(ordinal)) texts.set(ordinal, of(issue));
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

/** Orders as the id's text does, as far as its first 48 bits tell. */
export function tieOf(issueId: string): number {
  return Number.parseInt(issueId.slice(0, 8) + issueId.slice(9, 13), 16);
}
