import type { EventSummary, IssueSummary } from '../../generated/reader-answers.js';

/** How a list identifies and compares its rows. */
export interface RowKind<Row> {
  idOf(row: Row): string;
  /** Whether two versions of a row look the same. */
  isSame(before: Row, after: Row): boolean;
}

export interface RowPage<Row> {
  readonly rows: readonly Row[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/** The loaded first pages of a list that changes at its source. The selection is an id, so that new rows do not move it. */
export interface PagedList<Row> {
  readonly rows: readonly Row[];
  /** Cursor of the next page; null at the end of the list. */
  readonly nextCursor: string | null;
  /** Undefined in an empty list. */
  readonly selectedId: string | undefined;
  /** Index of the first visible row. */
  readonly top: number;
  /** False until the user moves; an untouched list may jump to new rows. */
  readonly isTouched: boolean;
  /** Newer rows could not be merged; they are shown after a move to the first row. */
  readonly isBehind: boolean;
}

/** A list before its first page. */
export const EMPTY_LIST: PagedList<never> = {
  rows: [],
  nextCursor: null,
  selectedId: undefined,
  top: 0,
  isTouched: false,
  isBehind: false,
};

/** The cursor of the next page, if less than a window of rows is loaded below the visible ones. */
export function wantedCursor<Row>(list: PagedList<Row>, height: number): string | undefined {
  const isNear = list.top + 2 * height >= list.rows.length;
  return isNear ? (list.nextCursor ?? undefined) : undefined;
}

/** Issues; a change that the list shows makes a row another one. */
export const ISSUE_ROWS: RowKind<IssueSummary> = { idOf: (issue) => issue.issue_id, isSame: looksSame };

/** What a list shows of an issue, besides its trend and the lengths of its lists. */
const SHOWN_MEMBERS = [
  ...['count', 'removed_events', 'users', 'last_seen', 'first_seen', 'status', 'regressed', 'is_new', 'spiking'],
  ...['assignee', 'snooze', 'snooze_left', 'resolved_in', 'state_at', 'level'],
] as const;

function looksSame(before: IssueSummary, after: IssueSummary): boolean {
  return (
    SHOWN_MEMBERS.every((member) => before[member] === after[member]) &&
    (['merged', 'environments', 'releases'] as const).every((list) => before[list].length === after[list].length) &&
    before.trend.every((count, hour) => count === after.trend[hour])
  );
}

/** Events never change. */
export const EVENT_ROWS: RowKind<EventSummary> = {
  idOf: (event) => event.event_id,
  isSame: () => true,
};
