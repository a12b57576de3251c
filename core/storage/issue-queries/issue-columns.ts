import { beginTimeSlice, inTimeSlices } from '../../time-slice.js';
import type { IndexContent } from '../index/content/index-content.js';
import type { IssueState } from '../index/content/issue-state.js';
import type { RemovedTotals } from '../index/content/removal.js';
import { unlessUnusable } from '../index/documents/index-fault.js';
import { IssueSorts, type SortNeeds } from './issue-sorts.js';

/** If more segments have arrived, all issues are copied again. This many stay in memory. */
const MAX_SEGMENTS_BEHIND = 64;
/** Values beyond one for each issue after which columns are rebuilt. */
const SPARE_VALUES = 4096;
const ISSUES_PER_CLOCK_CHECK = 256;

const CODED_FIELDS: Readonly<Record<string, (issue: IssueState) => ColumnValue>> = {
  level: (issue) => issue.level,
  type: (issue) => issue.type,
  app: (issue) => issue.app,
  service: (issue) => issue.service,
  error_name: (issue) => issue.errorName,
  env: (issue) => issue.environments,
  release: (issue) => issue.releases,
  new_in: (issue) => (issue.firstRelease === '' ? [] : issue.firstRelease),
};

const SAME_COLUMN: Readonly<Record<string, string>> = {
  environment: 'env',
  environments: 'env',
  releases: 'release',
};

/** Filter and sort values of issues, in columns: reading 100,000 scattered objects is much slower. */
export class IssueColumns {
  readonly #content: IndexContent;
  /** Valid until the next `refresh`. */
  readonly sorts = new IssueSorts();
  #coded = createCodedColumns();
  #capacity = 0;
  length = 0;
  /** Segments before this one are copied; negative if none are. */
  #nextSegment = Number.NEGATIVE_INFINITY;
  #removed: RemovedTotals | undefined;
  #shown: ReadonlyMap<number, IssueState> = new Map();
  #refreshing: Promise<void> = Promise.resolve();

  constructor(content: IndexContent) {
    this.#content = content;
  }

  /** The numbers of a query's field by ordinal; undefined for other fields. */
  numbers(field: string): Float64Array | undefined {
    const isNumber = field === 'last_seen' || field === 'first_seen' || field === 'count';
    return isNumber ? this.sorts.numbers(field) : undefined;
  }

  /** The column of a query's field; undefined for fields that differ for nearly every issue. */
  coded(field: string): CodedColumn | undefined {
    return this.#coded.get(SAME_COLUMN[field] ?? field);
  }

  /** Applies new events and the merged groups `shown`, in time slices; `needs` is the sort of a list. */
  refresh(shown: ReadonlyMap<number, IssueState>, needs?: SortNeeds): Promise<void> {
    const refreshing = this.#refreshing.then(() => this.#refresh(shown, needs));
    this.#refreshing = refreshing.catch(() => undefined);
    return refreshing;
  }

  async #refresh(shown: ReadonlyMap<number, IssueState>, needs: SortNeeds | undefined): Promise<void> {
    const shownBefore = this.#shown;
    this.#shown = shown;
    const { segments, issues, removed } = this.#content;
    const newest = segments.open.number;
    const { length } = issues.inOrder;
    const isFarBehind = newest - this.#nextSegment > MAX_SEGMENTS_BEHIND;
    if (isFarBehind || removed !== this.#removed || this.#isCrowded() || !(await this.#copyChanged(newest))) {
      await this.#copyAll(length);
      this.#removed = removed;
      await this.#copyChanged(newest);
    }
    // A group changes with the events of any member, and groups are few.
    for (const ordinal of shownBefore.keys()) this.#copy(ordinal);
    for (const ordinal of shown.keys()) this.#copy(ordinal);
    this.length = length;
    if (needs !== undefined) await this.sorts.prepare(needs, length, (ordinal) => this.#stateAt(ordinal));
  }

  /** Copies the issues of new events; false if a segment cannot be read. */
  async #copyChanged(newest: number): Promise<boolean> {
    const slice = beginTimeSlice();
    let copied = 0;
    for (let number = Math.max(this.#nextSegment, newest - MAX_SEGMENTS_BEHIND, 0); number <= newest; number += 1) {
      const segment = await unlessUnusable(() => this.#content.segments.get(number), undefined);
      if (segment === undefined) return false;
      for (const ordinal of segment.previous.keys()) {
        this.#copy(ordinal);
        copied += 1;
        if (copied % ISSUES_PER_CLOCK_CHECK === 0 && slice.isOver) await slice.next();
      }
    }
    this.#nextSegment = newest;
    return true;
  }

  async #copyAll(length: number): Promise<void> {
    this.#nextSegment = this.#content.segments.open.number;
    this.#coded = createCodedColumns();
    this.#capacity = 0;
    this.#reserve(length);
    await inTimeSlices(length, (ordinal) => this.#copy(ordinal));
  }

  #stateAt(ordinal: number): IssueState | undefined {
    return this.#shown.get(ordinal) ?? this.#content.issues.inOrder[ordinal];
  }

  #copy(ordinal: number): void {
    const issue = this.#stateAt(ordinal);
    if (issue === undefined) return;
    if (ordinal >= this.#capacity) this.#reserve(ordinal + 1);
    this.sorts.copy(ordinal, issue);
    for (const [field, column] of this.#coded) {
      const value = CODED_FIELDS[field]?.(issue);
      if (value !== undefined) column.set(ordinal, value);
    }
  }

  #reserve(issues: number): void {
    this.#capacity = Math.ceil(issues * 1.25) + ISSUES_PER_CLOCK_CHECK;
    this.sorts.reserve(this.#capacity);
    for (const column of this.#coded.values()) column.reserve(this.#capacity);
  }

  #isCrowded(): boolean {
    return [...this.#coded.values()].some((column) => column.size > this.length + SPARE_VALUES);
  }
}

function createCodedColumns(): Map<string, CodedColumn> {
  return new Map(Object.keys(CODED_FIELDS).map((field) => [field, new CodedColumn()]));
}

/** Several values: one of them must match. */
type ColumnValue = string | readonly string[];

/** Values of issues as codes, so that a filter evaluates each distinct value once. */
class CodedColumn {
  readonly #codesByKey = new Map<string, number>();
  readonly #values: ColumnValue[] = [];
  #codes = new Uint32Array(0);

  get size(): number {
    return this.#values.length;
  }

  reserve(issues: number): void {
    const codes = new Uint32Array(issues);
    codes.set(this.#codes);
    this.#codes = codes;
  }

  /** `ordinal` must be below the reserved number. */
  set(ordinal: number, value: ColumnValue): void {
    const key = keyOf(value);
    let code = this.#codesByKey.get(key);
    if (code === undefined) {
      code = this.#values.push(value) - 1;
      this.#codesByKey.set(key, code);
    }
    this.#codes[ordinal] = code;
  }

  codeOf(ordinal: number): number {
    return this.#codes[ordinal] ?? 0;
  }

  valueOf(code: number): ColumnValue {
    return this.#values[code] ?? '';
  }
}

/** Avoids JSON for lists of one member, which are most. */
function keyOf(value: ColumnValue): string {
  if (typeof value === 'string') return value;
  const [only = ''] = value;
  return value.length === 1 ? `1${only}` : JSON.stringify(value);
}
