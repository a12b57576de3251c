import type { IssueSort } from '../../contract/reader.js';
import { toIssueId } from '../../event/ids.js';
import type { JsonValue } from '../../event/json.js';
import { levelSeverity } from '../../event/level.js';
import { compareTexts } from '../../event/text.js';
import { shownAge } from '../../issues/shown-age.js';
import { distinctUsers, type IssueState } from '../index/content/issue-state.js';
import { eventsInTrend, hourOfMs } from '../index/count-event.js';
import type { IssueStatuses } from './issue-statuses.js';
import { invalidCursor } from './page-cursor.js';

/** Sort keys of an issue, each descending, then the id ascending. Valid for one pass. */
export interface SortPosition {
  readonly keys: readonly number[];
  readonly issueId: string;
}

/** Returns a sort value of a shown issue; sorts descending. */
type SortKey = (issue: IssueState) => number;

/** The order of issues in one pass; ages count from `nowMs`, which later pages of a list keep. */
export class IssueOrder {
  readonly #keysOf: readonly SortKey[];
  readonly #nowMs: number;

  constructor(sort: IssueSort, statuses: IssueStatuses, nowMs: number) {
    this.#keysOf = sortKeys(sort, statuses, nowMs);
    this.#nowMs = nowMs;
  }

  /** Negative if the issue precedes the position, positive if it follows. */
  compare(issue: IssueState, position: SortPosition): number {
    for (let index = 0; index < this.#keysOf.length; index += 1) {
      const compared = (position.keys[index] ?? 0) - (this.#keysOf[index]?.(issue) ?? 0);
      if (compared !== 0) return compared;
    }
    return compareTexts(issue.issueId, position.issueId);
  }

  positionOf(issue: IssueState): SortPosition {
    return { keys: this.#keysOf.map((keyOf) => keyOf(issue)), issueId: issue.issueId };
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
  return { nowMs, after: { keys, issueId } };
}

/** As `compare` of the order. A loop of both would call a function for each key, which is a third slower. */
export function comparePositions(left: SortPosition, right: SortPosition): number {
  for (let index = 0; index < left.keys.length; index += 1) {
    const compared = (right.keys[index] ?? 0) - (left.keys[index] ?? 0);
    if (compared !== 0) return compared;
  }
  return compareTexts(left.issueId, right.issueId);
}

const LAST_SEEN: readonly SortKey[] = [({ lastSeenMs }) => lastSeenMs, ({ lastSeenNanos }) => lastSeenNanos];
const SEVERITY: SortKey = ({ level }) => levelSeverity(level);
const COUNT: SortKey = ({ count }) => count;

function sortKeys(sort: IssueSort, statuses: IssueStatuses, nowMs: number): readonly SortKey[] {
  const hour = hourOfMs(statuses.lifecycles.nowMs);
  const keys: Readonly<Record<IssueSort, readonly SortKey[]>> = {
    // In steps as they are shown, so that steady traffic does not reorder a list.
    last_seen: [
      ({ lastSeenMs }) => -shownAge(nowMs - lastSeenMs),
      ({ ordinal }) => (statuses.hasSign(ordinal) ? 1 : 0),
      SEVERITY,
      COUNT,
    ],
    first_seen: [({ firstSeenMs }) => firstSeenMs, ({ firstSeenNanos }) => firstSeenNanos, ...LAST_SEEN],
    level: [SEVERITY, ...LAST_SEEN],
    status: [({ ordinal }) => statuses.rankOf(ordinal), SEVERITY, ...LAST_SEEN],
    count: [COUNT, ...LAST_SEEN],
    users: [distinctUsers, ...LAST_SEEN],
    trend: [({ hours }) => eventsInTrend(hours, hour), ...LAST_SEEN],
  };
  return keys[sort];
}
