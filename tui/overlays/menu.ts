import { cutText } from '../../core/event/text.js';
import { type Move, moveIndex } from '../state/moves.js';
import type { Menu, MenuItem } from '../state/overlay.js';
import { readOnlyReason } from '../state/read-only.js';
import type { TerminalState } from '../state/terminal-state.js';
import type { KeyInput } from '../terminal/key-parser.js';
import { bindingsAt, type Command, type KeyScope, keyLabel } from '../terminal/keymap.js';
import { cutLine, type Line, span, spread, words } from '../text/line.js';
import { cellsOf, cutToCells, literal, neutralise } from '../text/visible.js';
import { searchItems } from './search-items.js';

const CURSOR = '█';
/** Details of most menus then begin in the same column. */
const MIN_LABEL_CELLS = 21;
/** Cursor, key and gutters of an item. */
const OTHER_CELLS = 8;
/** Rows that remain for the screen, and the title of the menu. */
const OTHER_ROWS = 7;

/** Opens a menu. With `search` typed text filters the items; see `Menu` for the texts around them. */
export function openMenu(
  title: string,
  items: readonly MenuItem<TerminalState>[],
  { search = false, ...texts }: { search?: boolean } & Pick<Menu<TerminalState>, 'note' | 'above' | 'confirm'> = {},
): Menu<TerminalState> {
  return { kind: 'menu', title, items, selected: 0, search: search ? '' : undefined, ...texts };
}

function shownItems(menu: Menu<TerminalState>): readonly MenuItem<TerminalState>[] {
  return menu.search === undefined ? menu.items : searchItems(menu.items, menu.search);
}

const MOVES: readonly (readonly [move: Move, keys: readonly string[]])[] = [
  ['down', ['down', 'ctrl-n', 'tab', 'j']],
  ['up', ['up', 'ctrl-p', 'shift-tab', 'k']],
  ['page_down', ['pagedown']],
  ['page_up', ['pageup']],
  ['first', ['home']],
  ['last', ['end']],
];

/** Handles a key: moves, Enter runs the item, Escape closes, characters run items or search. */
export function pressOnMenu(state: TerminalState, menu: Menu<TerminalState>, input: KeyInput): TerminalState {
  switch (input.kind) {
    case 'mouse':
      return state;
    case 'paste':
      return menu.search === undefined ? state : withSearch(state, menu, menu.search + input.text);
    case 'character':
      return handleCharacter(state, menu, input.character);
    case 'key':
      break;
  }
  switch (input.key) {
    case 'enter':
      return runItem(state, shownItems(menu)[menu.selected]);
    case 'escape':
      return { ...state, overlay: undefined };
    case 'backspace':
      if (menu.search === undefined || menu.search === '') return { ...state, overlay: undefined };
      return withSearch(state, menu, [...menu.search].slice(0, -1).join(''));
    case 'ctrl-u':
      return menu.search === undefined ? state : withSearch(state, menu, '');
    default:
      return moved(state, menu, input.key);
  }
}

function moved(state: TerminalState, menu: Menu<TerminalState>, key: string): TerminalState {
  const [move] = MOVES.find(([, keys]) => keys.includes(key)) ?? [];
  if (move === undefined) return state;
  const { length } = shownItems(menu);
  // A page of a menu has no row in common with the one before.
  const rows = menuRows(state, menu, length) + 1;
  return { ...state, overlay: { ...menu, selected: moveIndex(menu.selected, move, { last: length - 1, rows }) } };
}

/** The rows of a menu: its title or search text, and as many items as fit. */
export function menuLines(menu: Menu<TerminalState>, state: TerminalState): readonly Line[] {
  const items = shownItems(menu);
  const rows = menuRows(state, menu, items.length);
  const top = Math.max(0, Math.min(menu.selected - Math.floor(rows / 2), items.length - rows));
  const { columns } = state.size;
  const visible = items.slice(top, top + rows);
  const detailed = visible.filter(({ detail }) => detail !== undefined);
  const detailCells = Math.max(0, ...detailed.map(({ detail = '' }) => cellsOf(neutralise(detail))));
  const hasRoom = OTHER_CELLS + MIN_LABEL_CELLS + detailCells <= columns;
  const labelCells = Math.min(
    Math.floor(columns / 2),
    Math.max(hasRoom ? MIN_LABEL_CELLS : 0, ...detailed.map(({ label }) => cellsOf(neutralise(label)))),
  );
  const hasKeys = menu.search === undefined && menu.items.some(({ key }) => key !== undefined);
  const look = { labelCells, columns, hasKeys };
  const listed = visible.map((item, index) => itemLine(item, top + index === menu.selected, look));
  const none: Line = [words('   no match', 'muted')];
  const { above, note, confirm } = menu;
  const before: Line[] = above === undefined ? [] : [[words(`   ${above}`, 'muted')]];
  const after: Line[] = note === undefined ? [] : [[words(' '), span(literal(note), 'warning')]];
  if (confirm !== undefined)
    after.push([words(' y', 'label'), words(` ${confirm}   `), words('↑↓', 'label'), words(' choose another')]);
  return [
    menu.search === undefined ? titleRule(menu.title, columns) : cutLine(searchLine(menu, menu.search), columns),
    ...before.map((line) => cutLine(line, columns)),
    ...(items.length === 0 ? [none] : listed),
    ...after.map((line) => cutLine(line, columns)),
  ];
}

/** A rule that names what a menu or prompt is about. */
export function titleRule(title: string, columns: number): Line {
  const shown = cutToCells(title, columns - '──  ── Esc cancels ──'.length);
  const rule = '─'.repeat(Math.max(0, columns - cellsOf(shown) - '──   Esc cancels ──'.length));
  return cutLine([words('── ', 'muted'), span(shown, 'heading'), words(` ${rule} Esc cancels ──`, 'muted')], columns);
}

function searchLine({ title }: Menu<TerminalState>, search: string): Line {
  return [words(' '), span(neutralise(`${title} `), 'label'), span(neutralise(search)), words(CURSOR)];
}

function itemLine(
  { key, label, detail, right }: MenuItem<TerminalState>,
  isSelected: boolean,
  look: { labelCells: number; columns: number; hasKeys: boolean },
): Line {
  const shownLabel = neutralise(label);
  const blanks = detail === undefined ? '' : ' '.repeat(Math.max(0, look.labelCells - cellsOf(shownLabel)));
  const keyText = look.hasKeys ? `${key ?? ' '}  ` : '';
  const line: Line = [
    words(isSelected ? ' › ' : '   ', isSelected ? 'selected' : 'plain'),
    words(keyText, isSelected ? 'selected' : 'label'),
    span(literal(shownLabel + blanks), isSelected ? 'selected' : 'plain'),
    ...(detail === undefined ? [] : [words('  '), span(neutralise(detail), 'muted')]),
  ];
  return right === undefined
    ? cutLine(line, look.columns)
    : spread(line, [span(neutralise(` ${right} `), 'muted')], look.columns);
}

function menuRows({ size }: TerminalState, { note, above, confirm }: Menu<TerminalState>, items: number): number {
  const otherRows = OTHER_ROWS + [note, above, confirm].filter((text) => text !== undefined).length;
  return Math.max(1, Math.min(items, Math.floor(size.rows / 2), size.rows - otherRows));
}

function handleCharacter(state: TerminalState, menu: Menu<TerminalState>, character: string): TerminalState {
  if (menu.search !== undefined) return withSearch(state, menu, menu.search + character);
  const chosen = menu.items.find(({ key }) => key === character);
  if (chosen !== undefined) return runItem(state, chosen);
  if (character === 'y' && menu.confirm !== undefined) return runItem(state, menu.items[menu.selected]);
  if (character === 'q') return { ...state, overlay: undefined };
  return moved(state, menu, character);
}

const MAX_SEARCH_UNITS = 200;

function withSearch(state: TerminalState, menu: Menu<TerminalState>, search: string): TerminalState {
  return { ...state, overlay: { ...menu, search: cutText(search, MAX_SEARCH_UNITS), selected: 0 } };
}

function runItem(state: TerminalState, item: MenuItem<TerminalState> | undefined): TerminalState {
  return item === undefined ? state : item.run({ ...state, overlay: undefined });
}

/** Commands that are useful only as keys. */
const ONLY_KEYS: ReadonlySet<Command> = new Set(['down', 'up', 'half_down', 'half_up', 'palette', 'redraw', 'suspend']);

/** Opens a searchable menu of all commands of a scope, with the reason if actions are not offered. */
export function openPalette(
  state: TerminalState,
  scope: KeyScope,
  canAct: boolean,
  run: (state: TerminalState, command: Command) => TerminalState,
): Menu<TerminalState> {
  const bindings = bindingsAt(state.keymap, scope, canAct).filter(({ command }) => !ONLY_KEYS.has(command));
  const items = bindings.map(({ command, help, keys }) => ({
    label: help,
    detail: [command.replaceAll('_', ' '), keys.map(keyLabel).join(' ')].filter((text) => text !== '').join('   '),
    run: (now: TerminalState) => run(now, command),
  }));
  return openMenu(':', items, { search: true, ...(!canAct && { note: readOnlyReason(state) }) });
}
