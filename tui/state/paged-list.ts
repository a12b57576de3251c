import type { EventSummary, IssueSummary } from '../../generated/reader-answers.js';
import { fullCount } from '../text/counts.js';
import { literal, type Visible } from '../text/visible.js';

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
  readonly kind: RowKind<Row>;
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
export function emptyList<Row>(kind: RowKind<Row>): PagedList<Row> {
  return { kind, rows: [], nextCursor: null, selectedId: undefined, top: 0, isTouched: false, isBehind: false };
}

/** The cursor of the next page, if less than a window of rows is loaded below the visible ones. */
export function wantedCursor<Row>(list: PagedList<Row>, height: number): string | undefined {
  const isNear = list.top + 2 * height >= list.rows.length;
  return isNear ? (list.nextCursor ?? undefined) : undefined;
}

/** Issues; a change that the list shows makes a row another one. */
export const ISSUE_ROWS: RowKind<IssueSummary> = { idOf: (issue) => issue.issue_id, isSame: looksSame };

/** What a list shows of an issue or of the number of its events, besides its trend and the lengths of its lists. */
const SHOWN_MEMBERS = [
  'count',
  'repeated',
  'removed_events',
  'users',
  'last_seen',
  'first_seen',
  'status',
  'regressed',
  'is_new',
  'spiking',
  'assignee',
  'snooze',
  'snooze_left',
  'resolved_in',
  'state_at',
  'level',
] as const;

function looksSame(before: IssueSummary, after: IssueSummary): boolean {
  return (
    SHOWN_MEMBERS.every((member) => before[member] === after[member]) &&
    (['merged', 'environments', 'releases'] as const).every((list) => before[list].length === after[list].length) &&
    before.trend.every((count, hour) => count === after.trend[hour])
  );
}

/** What a later report of its occurrence may add to an event, besides tags. */
const FILLED_MEMBERS = [
  'type',
  'route',
  'method',
  'status_code',
  'release',
  'user_id',
  'request_id',
  'session_id',
] as const;

/** Events; nothing else of them changes. */
export const EVENT_ROWS: RowKind<EventSummary> = {
  idOf: (event) => event.event_id,
  isSame: (before, after) =>
    FILLED_MEMBERS.every((member) => before[member] === after[member]) &&
    Object.keys(before.tags).length === Object.keys(after.tags).length,
};

/** Returns the selected row; undefined in an empty list. */
export function selectedRow<Row>(list: PagedList<Row>): Row | undefined {
  return list.rows[indexOfSelected(list)];
}

/** Moves the selection by a number of rows, clamped to the list. */
export function moveSelection<Row>(list: PagedList<Row>, distance: number, height: number): PagedList<Row> {
  return select(list, indexOfSelected(list) + distance, height);
}

/** Selects a row, clamped to the list, and scrolls as little as needed. */
export function select<Row>(list: PagedList<Row>, index: number, height: number): PagedList<Row> {
  const clamped = Math.max(0, Math.min(index, list.rows.length - 1));
  const row = list.rows[clamped];
  if (row === undefined) return list;
  return keepSelectedVisible({ ...list, selectedId: list.kind.idOf(row), isTouched: true }, height);
}

/** Selects the first row and follows new rows again. */
export function selectFirst<Row>(list: PagedList<Row>, height: number): PagedList<Row> {
  return { ...select(list, 0, height), isTouched: false };
}

/** Scrolls as little as needed to show the cursor and to fill the window; returns the first visible row. */
export function topFor(top: number, cursor: number, { count, rows }: { count: number; rows: number }): number {
  const lowest = Math.max(0, cursor - rows + 1);
  const highest = Math.min(cursor, Math.max(0, count - rows));
  return Math.max(lowest, Math.min(top, highest));
}

/** Scrolls to the selected row as `topFor`. */
export function keepSelectedVisible<Row>(list: PagedList<Row>, height: number): PagedList<Row> {
  const selected = Math.max(0, indexOfSelected(list));
  const top = topFor(list.top, selected, { count: list.rows.length, rows: height });
  return top === list.top ? list : { ...list, top };
}

/** Restores the selection at its position on the screen; a list at its top stays there while the selected row fits. */
export function restoreSelection<Row>(before: PagedList<Row>, after: PagedList<Row>, height: number): PagedList<Row> {
  const oldIndex = indexOfSelected(before);
  const newIndex = indexOfSelected(after);
  if (newIndex < 0) {
    const neighbour = after.rows[Math.max(0, Math.min(oldIndex, after.rows.length - 1))];
    const moved = { ...after, selectedId: neighbour === undefined ? undefined : after.kind.idOf(neighbour) };
    return keepSelectedVisible(moved, height);
  }
  const staysOnFirstPage = before.top === 0 && newIndex < height;
  const top = staysOnFirstPage ? 0 : newIndex - (oldIndex - before.top);
  return keepSelectedVisible({ ...after, top: Math.max(0, top) }, height);
}

/** A screen whose list scrolls as `keepSelectedVisible`; the same one if it need not. */
export function withSelectedVisible<Row, Screen extends { readonly list: PagedList<Row> }>(
  screen: Screen,
  height: number,
): Screen {
  const list = keepSelectedVisible(screen.list, height);
  return list === screen.list ? screen : { ...screen, list };
}

/** The number of the selected row and of all rows, by default the loaded ones: `3/100+`; empty without a row. */
export function positionInList<Row>(list: PagedList<Row>, total?: number): Visible {
  const index = indexOfSelected(list);
  const loaded = `${fullCount(list.rows.length)}${list.nextCursor === null ? '' : '+'}`;
  return literal(index < 0 ? '' : `${fullCount(index + 1)}/${total === undefined ? loaded : fullCount(total)}`);
}

/** Index of the selected row; -1 in an empty list. */
export function indexOfSelected<Row>(list: PagedList<Row>): number {
  return list.rows.findIndex((row) => list.kind.idOf(row) === list.selectedId);
}
