import type { Command } from '../terminal/keymap.js';
import { moveSelection, type PagedList, select, selectFirst } from './paged-list.js';
import { PAGER_START, type Pager, type PagerPosition, type PagerView } from './pager.js';

export type Move = Extract<
  Command,
  'down' | 'up' | 'page_down' | 'page_up' | 'half_down' | 'half_up' | 'first' | 'last'
>;

/** Rows of each move; the parameter is the height of the window. */
const DISTANCES: Readonly<Record<Exclude<Move, 'first' | 'last'>, (rows: number) => number>> = {
  down: () => 1,
  up: () => -1,
  page_down: (rows) => Math.max(1, rows - 1),
  page_up: (rows) => -Math.max(1, rows - 1),
  half_down: (rows) => Math.max(1, Math.floor(rows / 2)),
  half_up: (rows) => -Math.max(1, Math.floor(rows / 2)),
};

/** Whether a command moves within a screen. */
export function isMove(command: Command): command is Move {
  return command === 'first' || command === 'last' || command in DISTANCES;
}

/** The tab that a command shows, the next or previous one around the end or one by its number; undefined for other commands. */
export function tabOf<Tab>(tabs: readonly Tab[], shown: Tab, command: Command): Tab | undefined {
  const index = tabs.indexOf(shown);
  if (command === 'pane_next') return tabs[(index + 1) % tabs.length];
  if (command === 'pane_previous') return tabs.at(index - 1);
  return tabs[Number(/^pane_(\d)$/.exec(command)?.[1]) - 1];
}

/** Moves the selection of a list; `last` is the last loaded row. */
export function moveInList<Row>(list: PagedList<Row>, move: Move, rows: number): PagedList<Row> {
  if (move === 'first') return selectFirst(list, rows);
  if (move === 'last') return select(list, list.rows.length - 1, rows);
  return moveSelection(list, DISTANCES[move](rows), rows);
}

/** Moves an index, clamped to 0 and `last`. */
export function moveIndex(index: number, move: Move, { last, rows }: { last: number; rows: number }): number {
  if (move === 'first') return 0;
  const target = move === 'last' ? last : index + DISTANCES[move](rows);
  return Math.max(0, Math.min(target, last));
}

/** Moves the position in a text. */
export function moveInText(pager: Pager, position: PagerPosition, move: Move, view: PagerView): PagerPosition {
  if (move === 'first') return PAGER_START;
  if (move === 'last') return pager.end(view);
  return pager.move(position, DISTANCES[move](view.rows), view);
}
