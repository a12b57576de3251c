import type { IssueSort } from '../../contract/reader.js';
import { toIssueId } from '../../event/ids.js';
import type { JsonValue } from '../../event/json.js';
import { compareTexts } from '../../event/text.js';
import { shownAge } from '../../issues/shown-age.js';
import { levelSeverity } from '../../normalize/level.js';
import type { IssueColumns } from './issue-columns.js';
import { type NumberColumn, tieOf } from './issue-sorts.js';
import { invalidCursor } from './page-cursor.js';
import type { IssueRanks } from './status-column.js';

/** Sort keys of an issue, each descending, then `tie` and id ascending. Valid for one pass. */
export interface SortPosition {
  readonly keys: readonly number[];
  readonly tie: number;
  readonly issueId: string;
}

/** Returns a sort value of an ordinal; sorts descending. */
type SortKey = (ordinal: number) => number;

/** The order of issues in one pass over refreshed `columns`; ages count from `nowMs`, which later pages of a list keep. */
export class IssueOrder {
  readonly #keys: readonly SortKey[];
  readonly #ties: Float64Array;
  readonly #nowMs: number;

  constructor(sort: IssueSort, columns: IssueColumns, ranks: IssueRanks, nowMs: number) {
    this.#keys = sortKeys(sort, columns, ranks, nowMs);
    this.#ties = columns.sorts.numbers('tie');
    this.#nowMs = nowMs;
  }

  /** Negative if the issue precedes the position, positive if it follows, zero if only the id decides. */
  compare(ordinal: number, position: SortPosition): number {
    for (let index = 0; index < this.#keys.length; index += 1) {
      const compared = (position.keys[index] ?? 0) - (this.#keys[index]?.(ordinal) ?? 0);
      if (compared !== 0) return compared;
    }
    return (this.#ties[ordinal] ?? 0) - position.tie;
  }

  positionOf(ordinal: number, issueId: string): SortPosition {
    return { keys: this.#keys.map((key) => key(ordinal)), tie: this.#ties[ordinal] ?? 0, issueId };
  }

  toCursor({ keys, issueId }: SortPosition): JsonValue[] {
    return [this.#nowMs, [...keys], issueId];
  }
}

/** The position of a cursor, and the time from which its list counts ages. Throws `CURSOR_INVALID`. */
export function readCursor([nowMs, keys, id]: readonly unknown[]): { nowMs: number; after: SortPosition } {
  const issueId = typeof id === 'string' ? toIssueId(id) : undefined;
  if (issueId === undefined || typeof nowMs !== 'number' || !Array.isArray(keys)) throw invalidCursor();
  if (!keys.every((key) => typeof key === 'number')) throw invalidCursor();
  return { nowMs, after: { keys, tie: tieOf(issueId), issueId } };
}

/** As `IssueOrder.compare`, then by id. */
export function comparePositions(left: SortPosition, right: SortPosition): number {
  for (let index = 0; index < left.keys.length; index += 1) {
    const compared = (right.keys[index] ?? 0) - (left.keys[index] ?? 0);
    if (compared !== 0) return compared;
  }
  return left.tie - right.tie || compareTexts(left.issueId, right.issueId);
}

function sortKeys(sort: IssueSort, columns: IssueColumns, ranks: IssueRanks, nowMs: number): readonly SortKey[] {
  const numbers = (name: NumberColumn): SortKey => {
    const column = columns.sorts.numbers(name);
    return (ordinal) => column[ordinal] ?? 0;
  };
  const lastSeenMs = numbers('last_seen');
  const seen = [lastSeenMs, numbers('last_seen_nanos')];
  switch (sort) {
    // In steps as they are shown, so that steady traffic does not reorder a list.
    case 'last_seen':
      return [
        (ordinal) => -shownAge(nowMs - lastSeenMs(ordinal)),
        (ordinal) => (ranks.hasSign(ordinal) ? 1 : 0),
        severities(columns),
        numbers('count'),
      ];
    case 'first_seen':
      return [numbers('first_seen'), numbers('first_seen_nanos'), ...seen];
    case 'level':
      return [severities(columns), ...seen];
    case 'status':
      return [(ordinal) => ranks.rankOf(ordinal), severities(columns), ...seen];
    default:
      return [numbers(sort), ...seen];
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
