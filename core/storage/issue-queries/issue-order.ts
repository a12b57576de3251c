import type { IssueGrouping, IssueSort } from '../../contract/reader.js';
import { toIssueId } from '../../event/ids.js';
import type { JsonValue } from '../../event/json.js';
import { levelSeverity } from '../../normalize/level.js';
import type { IssueColumns } from './issue-columns.js';
import { type TimeColumn, tieOf } from './issue-sorts.js';
import type { IssueRanks } from './list-ranks.js';
import { invalidCursor } from './page-cursor.js';
import { isTextSort } from './sort-keys.js';
import type { TextOrder } from './string-ranks.js';

/** Sort keys of an issue, descending in this order, then `tie` and id ascending. Valid for one pass. */
export interface SortPosition {
  readonly group: number;
  readonly major: number;
  readonly minor: number;
  readonly seenMs: number;
  readonly seenNanos: number;
  readonly tie: number;
  readonly issueId: string;
}

interface OrderOptions {
  readonly sort: IssueSort;
  readonly group: IssueGrouping | undefined;
}

interface SortKey {
  /** By ordinal; sorts descending. */
  readonly at: (ordinal: number) => number;
  /** Converts to the value stored in a cursor: numbers may mean something else in another pass. */
  readonly toCursor: (number: number) => JsonValue;
  readonly fromCursor: (value: unknown) => number | undefined;
}

/** The order of issues in one pass over refreshed `columns`. */
export class IssueOrder {
  readonly #group: SortKey;
  readonly #major: SortKey;
  readonly #minors: Uint32Array | undefined;
  readonly #lastSeen: TimeColumn;
  readonly #ties: Float64Array;

  constructor({ sort, group }: OrderOptions, columns: IssueColumns, ranks: Pick<IssueRanks, 'rankOf'>) {
    const { lastSeen, firstSeen, ties } = columns.sorts;
    this.#group = group === undefined ? numberKey(() => 0) : textKey(columns.sorts.textOrder('group', columns.length));
    this.#major = majorKey(sort, columns, ranks);
    this.#minors = sort === 'first_seen' ? firstSeen.nanos : undefined;
    this.#lastSeen = lastSeen;
    this.#ties = ties;
  }

  /** Negative if the issue precedes the position, positive if it follows, zero if only the id decides. */
  compare(ordinal: number, position: SortPosition): number {
    return (
      position.group - this.#group.at(ordinal) ||
      position.major - this.#major.at(ordinal) ||
      position.minor - (this.#minors?.[ordinal] ?? 0) ||
      position.seenMs - (this.#lastSeen.ms[ordinal] ?? 0) ||
      position.seenNanos - (this.#lastSeen.nanos[ordinal] ?? 0) ||
      (this.#ties[ordinal] ?? 0) - position.tie
    );
  }

  positionOf(ordinal: number, issueId: string): SortPosition {
    return {
      group: this.#group.at(ordinal),
      major: this.#major.at(ordinal),
      minor: this.#minors?.[ordinal] ?? 0,
      seenMs: this.#lastSeen.ms[ordinal] ?? 0,
      seenNanos: this.#lastSeen.nanos[ordinal] ?? 0,
      tie: this.#ties[ordinal] ?? 0,
      issueId,
    };
  }

  toCursor({ group, major, minor, seenMs, seenNanos, issueId }: SortPosition): JsonValue[] {
    return [this.#group.toCursor(group), this.#major.toCursor(major), minor, seenMs, seenNanos, issueId];
  }

  /** Throws `CURSOR_INVALID`. */
  fromCursor([groupValue, majorValue, minor, seenMs, seenNanos, id]: readonly unknown[]): SortPosition {
    const issueId = typeof id === 'string' ? toIssueId(id) : undefined;
    const group = this.#group.fromCursor(groupValue);
    const major = this.#major.fromCursor(majorValue);
    if (issueId === undefined || group === undefined || major === undefined) throw invalidCursor();
    if (typeof minor !== 'number' || typeof seenMs !== 'number' || typeof seenNanos !== 'number') throw invalidCursor();
    return { group, major, minor, seenMs, seenNanos, tie: tieOf(issueId), issueId };
  }
}

/** As `IssueOrder.compare`, then by id. */
export function comparePositions(left: SortPosition, right: SortPosition): number {
  return (
    right.group - left.group ||
    right.major - left.major ||
    right.minor - left.minor ||
    right.seenMs - left.seenMs ||
    right.seenNanos - left.seenNanos ||
    left.tie - right.tie ||
    compareIds(left.issueId, right.issueId)
  );
}

function compareIds(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function majorKey(sort: IssueSort, columns: IssueColumns, ranks: Pick<IssueRanks, 'rankOf'>): SortKey {
  if (isTextSort(sort)) return textKey(columns.sorts.textOrder(sort, columns.length));
  switch (sort) {
    case 'level':
      return numberKey(severities(columns));
    case 'status':
      return numberKey((ordinal) => ranks.rankOf(ordinal));
    default: {
      const column = columns.sorts.numbers(sort);
      return numberKey((ordinal) => column[ordinal] ?? 0);
    }
  }
}

function severities(columns: IssueColumns): (ordinal: number) => number {
  const levels = columns.coded('level');
  const byCode: number[] = [];
  return (ordinal) => {
    const code = levels?.codeOf(ordinal) ?? 0;
    byCode[code] ??= levelSeverity(String(levels?.valueOf(code) ?? ''));
    return byCode[code] ?? 0;
  };
}

function numberKey(at: SortKey['at']): SortKey {
  return { at, toCursor: (number) => number, fromCursor: (value) => (typeof value === 'number' ? value : undefined) };
}

/** Texts sort ascending. */
function textKey(order: TextOrder | undefined): SortKey {
  if (order === undefined) return numberKey(() => 0);
  const { ranks } = order;
  return {
    at: (ordinal) => -(ranks[ordinal] ?? 0),
    toCursor: (number) => order.textAt(-number),
    fromCursor: (value) => (typeof value === 'string' ? -order.rankOf(value) : undefined),
  };
}
