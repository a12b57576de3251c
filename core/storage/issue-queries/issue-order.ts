import type { IssueSort } from '../../contract/reader.js';
import { toIssueId } from '../../event/ids.js';
import type { JsonValue } from '../../event/json.js';
import { levelSeverity } from '../../normalize/level.js';
import type { IssueColumns } from './issue-columns.js';
import { type TimeColumn, tieOf } from './issue-sorts.js';
import type { IssueRanks } from './list-ranks.js';
import { invalidCursor } from './page-cursor.js';

/** Sort keys of an issue, descending in this order, then `tie` and id ascending. Valid for one pass. */
export interface SortPosition {
  readonly major: number;
  readonly minor: number;
  readonly seenMs: number;
  readonly seenNanos: number;
  readonly tie: number;
  readonly issueId: string;
}

/** Returns the sort value of an ordinal; sorts descending. */
type SortKey = (ordinal: number) => number;

/** The order of issues in one pass over refreshed `columns`. */
export class IssueOrder {
  readonly #major: SortKey;
  readonly #minors: Uint32Array | undefined;
  readonly #lastSeen: TimeColumn;
  readonly #ties: Float64Array;

  constructor(sort: IssueSort, columns: IssueColumns, ranks: Pick<IssueRanks, 'rankOf'>) {
    const { lastSeen, firstSeen, ties } = columns.sorts;
    this.#major = majorKey(sort, columns, ranks);
    this.#minors = sort === 'first_seen' ? firstSeen.nanos : undefined;
    this.#lastSeen = lastSeen;
    this.#ties = ties;
  }

  /** Negative if the issue precedes the position, positive if it follows, zero if only the id decides. */
  compare(ordinal: number, position: SortPosition): number {
    return (
      position.major - this.#major(ordinal) ||
      position.minor - (this.#minors?.[ordinal] ?? 0) ||
      position.seenMs - (this.#lastSeen.ms[ordinal] ?? 0) ||
      position.seenNanos - (this.#lastSeen.nanos[ordinal] ?? 0) ||
      (this.#ties[ordinal] ?? 0) - position.tie
    );
  }

  positionOf(ordinal: number, issueId: string): SortPosition {
    return {
      major: this.#major(ordinal),
      minor: this.#minors?.[ordinal] ?? 0,
      seenMs: this.#lastSeen.ms[ordinal] ?? 0,
      seenNanos: this.#lastSeen.nanos[ordinal] ?? 0,
      tie: this.#ties[ordinal] ?? 0,
      issueId,
    };
  }

  toCursor({ major, minor, seenMs, seenNanos, issueId }: SortPosition): JsonValue[] {
    return [major, minor, seenMs, seenNanos, issueId];
  }

  /** Throws `CURSOR_INVALID`. */
  fromCursor([major, minor, seenMs, seenNanos, id]: readonly unknown[]): SortPosition {
    const issueId = typeof id === 'string' ? toIssueId(id) : undefined;
    if (issueId === undefined || typeof major !== 'number') throw invalidCursor();
    if (typeof minor !== 'number' || typeof seenMs !== 'number' || typeof seenNanos !== 'number') throw invalidCursor();
    return { major, minor, seenMs, seenNanos, tie: tieOf(issueId), issueId };
  }
}

/** As `IssueOrder.compare`, then by id. */
export function comparePositions(left: SortPosition, right: SortPosition): number {
  return (
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
  switch (sort) {
    case 'level':
      return severities(columns);
    case 'status':
      return (ordinal) => ranks.rankOf(ordinal);
    default: {
      const column = columns.sorts.numbers(sort);
      return (ordinal) => column[ordinal] ?? 0;
    }
  }
}

function severities(columns: IssueColumns): SortKey {
  const levels = columns.coded('level');
  const byCode: number[] = [];
  return (ordinal) => {
    const code = levels?.codeOf(ordinal) ?? 0;
    byCode[code] ??= levelSeverity(String(levels?.valueOf(code) ?? ''));
    return byCode[code] ?? 0;
  };
}
