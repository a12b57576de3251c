import type { KeyInput } from './key-parser.js';

/** Where a key works: a screen, or one pane of it. */
export interface KeyScope {
  readonly screen: 'issues' | 'issue' | 'event' | 'events';
  readonly pane?: string;
}

/** What changes the life of issues. */
export const TRIAGE_COMMANDS = [
  'resolve',
  'resolve_next',
  'ignore',
  'reopen',
  'assign',
  'comment',
  'merge',
  'split',
  'undo',
  'redo',
] as const;

/** What a key can ask for. */
export const COMMANDS = [
  'down',
  'up',
  'page_down',
  'page_up',
  'half_down',
  'half_up',
  'first',
  'last',
  'open',
  'follow',
  'toggle',
  'back',
  'parent',
  'pane_next',
  'pane_previous',
  'pane_1',
  'pane_2',
  'pane_3',
  'pane_4',
  'pane_5',
  'pane_6',
  'next',
  'previous',
  'filter',
  'include',
  'exclude',
  'views',
  'sort',
  'group',
  'pause',
  'mark',
  'mark_range',
  'range_earlier',
  'range_later',
  'range_narrower',
  'range_wider',
  'fold',
  'unfold_all',
  'find',
  'find_next',
  'find_previous',
  ...TRIAGE_COMMANDS,
  'copy',
  'export',
  'edit',
  'diff',
  'search_events',
  'sources',
  'time_zone',
  'mouse',
  'palette',
  'help',
  'redraw',
  'suspend',
  'quit',
] as const;
export type Command = (typeof COMMANDS)[number];

/** One line of the key table. */
export interface KeyBinding {
  readonly command: Command;
  /** Printable characters, or names as `named-keys.ts` has them. */
  readonly keys: readonly string[];
  /** What they do, for the `?` screen and the palette. */
  readonly help: string;
  /** The shortest words for it in the row at the bottom; absent: not listed there. */
  readonly hint?: string;
  /** Places where it works, `screen` or `screen/pane`; absent: everywhere. */
  readonly on?: readonly string[];
  /** Shown and working only for those who may act. */
  readonly isAction?: true;
}

/** The keys of one run: the table, with what a person changed. */
export type Keymap = readonly KeyBinding[];

const LISTS = ['issues', 'issue', 'events'];
const TREES = ['event/raw', 'event/normalized'];
const TRIAGE = ['issues', 'issue', 'event'];

/** Every key of the terminal. Hints, the `?` screen and the palette are printed from it. */
export const DEFAULT_KEYMAP: Keymap = [
  { command: 'down', keys: ['down', 'j'], help: 'Down' },
  { command: 'up', keys: ['up', 'k'], help: 'Up' },
  { command: 'open', keys: ['enter', 'l', 'right'], help: 'Open', hint: 'open', on: [...LISTS, 'event/diff'] },
  {
    command: 'toggle',
    keys: ['enter', ' ', 'l', 'right'],
    help: 'Fold or unfold',
    hint: 'fold',
    on: [...TREES, 'event/stack'],
  },
  { command: 'follow', keys: ['enter'], help: 'Follow the link at the end', on: ['event/detail'] },
  { command: 'back', keys: ['escape', 'backspace'], help: 'Take back marks, then the filter', on: ['issues'] },
  { command: 'back', keys: ['escape', 'backspace', 'h', 'left'], help: 'Back', hint: 'back', on: ['issue', 'events'] },
  { command: 'back', keys: ['escape', 'backspace'], help: 'Back to Issue', hint: 'Back to Issue', on: ['event'] },
  { command: 'back', keys: ['h', 'left'], help: 'Back to Issue', on: ['event/detail', 'event/stack', 'event/diff'] },
  { command: 'parent', keys: ['h', 'left'], help: 'Fold, or go to what holds this', on: TREES },
  { command: 'resolve', keys: ['r'], help: 'Resolve', hint: 'resolve', on: TRIAGE, isAction: true },
  {
    command: 'ignore',
    keys: ['i'],
    help: 'Ignore, for ever or until something happens',
    hint: 'ignore',
    on: TRIAGE,
    isAction: true,
  },
  { command: 'resolve_next', keys: ['R'], help: 'Resolve in the next release', on: TRIAGE, isAction: true },
  { command: 'reopen', keys: ['o'], help: 'Open again', hint: 'reopen', on: TRIAGE, isAction: true },
  { command: 'assign', keys: ['a'], help: 'Assign to somebody', on: TRIAGE, isAction: true },
  { command: 'comment', keys: ['c'], help: 'Comment', on: TRIAGE, isAction: true },
  { command: 'merge', keys: ['m'], help: 'Merge the marked issues into one', on: ['issues'], isAction: true },
  { command: 'split', keys: ['M'], help: 'Split what was merged', on: ['issues', 'issue'], isAction: true },
  { command: 'undo', keys: ['u'], help: 'Undo what was done last', on: TRIAGE, isAction: true },
  { command: 'redo', keys: ['U'], help: 'Do again what was undone', on: TRIAGE, isAction: true },
  { command: 'filter', keys: ['/'], help: 'Filter by a query', hint: 'filter', on: LISTS },
  { command: 'find', keys: ['/'], help: 'Find in this text', hint: 'find', on: ['event'] },
  { command: 'find_next', keys: ['ctrl-n'], help: 'Next place where it is found', on: ['event'] },
  { command: 'find_previous', keys: ['ctrl-p'], help: 'Place before', on: ['event'] },
  { command: 'include', keys: ['*'], help: 'Only what has the value under the cursor', on: [...LISTS, ...TREES] },
  { command: 'exclude', keys: ['!'], help: 'All but what has that value', on: [...LISTS, ...TREES] },
  { command: 'views', keys: ['v'], help: 'Saved views', on: ['issues'] },
  { command: 'sort', keys: ['s'], help: 'Choose the order', hint: 'sort', on: ['issues'] },
  { command: 'group', keys: ['#'], help: 'Group by service, or not', on: ['issues'] },
  { command: 'pause', keys: ['p'], help: 'Let nothing new in, or let it in again', on: ['issues', 'issue'] },
  { command: 'mark', keys: [' '], help: 'Mark', on: ['issues'] },
  { command: 'mark_range', keys: ['V'], help: 'Mark all from the last mark to here', on: ['issues'] },
  { command: 'next', keys: ['n'], help: 'Next event of the list', hint: 'next', on: ['event'] },
  { command: 'previous', keys: ['N'], help: 'Event before it', on: ['event'] },
  { command: 'diff', keys: ['d'], help: 'Compare with another event of the issue', on: ['event'] },
  { command: 'fold', keys: ['z'], help: 'Fold or unfold this section', on: ['event/detail', ...TREES] },
  { command: 'unfold_all', keys: ['Z'], help: 'Unfold everything, or fold it', on: ['event'] },
  { command: 'range_earlier', keys: ['['], help: 'Move the range of time earlier', on: ['issue'] },
  { command: 'range_later', keys: [']'], help: 'Move it later', on: ['issue'] },
  { command: 'range_narrower', keys: ['+', '='], help: 'Half the range', on: ['issue'] },
  { command: 'range_wider', keys: ['-'], help: 'Twice the range', on: ['issue'] },
  { command: 'pane_next', keys: ['tab'], help: 'Next tab', on: ['issues', 'issue', 'event'] },
  { command: 'pane_previous', keys: ['shift-tab'], help: 'Tab before', on: ['issues', 'issue', 'event'] },
  { command: 'pane_1', keys: ['1'], help: 'First tab, and so on', on: ['issues', 'issue', 'event'] },
  { command: 'pane_2', keys: ['2'], help: 'Second tab', on: ['issues', 'issue', 'event'] },
  { command: 'pane_3', keys: ['3'], help: 'Third tab', on: ['issues', 'issue', 'event'] },
  { command: 'pane_4', keys: ['4'], help: 'Fourth tab', on: ['issues', 'issue', 'event'] },
  { command: 'pane_5', keys: ['5'], help: 'Fifth tab', on: ['issues', 'issue', 'event'] },
  { command: 'pane_6', keys: ['6'], help: 'Sixth tab', on: ['issues'] },
  { command: 'copy', keys: ['y'], help: 'Copy', hint: 'copy' },
  { command: 'export', keys: ['x'], help: 'Write what is listed to a file', on: LISTS },
  { command: 'edit', keys: ['e'], help: 'Open the frame or the raw line in $EDITOR', on: ['event'] },
  { command: 'search_events', keys: ['f'], help: 'Find events of all issues', on: ['issues'] },
  { command: 'page_down', keys: ['pagedown'], help: 'A page down', on: [...LISTS, ...TREES, 'event/stack'] },
  { command: 'page_down', keys: ['pagedown', ' '], help: 'A page down', on: ['event/detail', 'event/diff'] },
  { command: 'page_up', keys: ['pageup'], help: 'A page up' },
  { command: 'half_down', keys: ['ctrl-d'], help: 'Half a page down' },
  { command: 'half_up', keys: ['ctrl-u'], help: 'Half a page up' },
  { command: 'first', keys: ['g', 'home'], help: 'To the first row' },
  { command: 'last', keys: ['G', 'end'], help: 'To the last row' },
  { command: 'sources', keys: ['S'], help: 'Where this is read from' },
  { command: 'time_zone', keys: ['t'], help: 'Times in UTC or local time' },
  { command: 'mouse', keys: [], help: 'Mouse on or off' },
  { command: 'palette', keys: [':'], help: 'Find a command by its name', hint: 'commands' },
  { command: 'help', keys: ['?'], help: 'These keys', hint: 'keys' },
  { command: 'redraw', keys: ['ctrl-l'], help: 'Draw the screen again' },
  { command: 'suspend', keys: ['ctrl-z'], help: 'Back to the shell; `fg` returns' },
  { command: 'quit', keys: ['q', 'ctrl-c'], help: 'Leave', hint: 'quit' },
];

/** The bindings that work at a place, for one who may act or not. */
export function bindingsAt(keymap: Keymap, { screen, pane }: KeyScope, canAct: boolean): readonly KeyBinding[] {
  return keymap.filter(
    ({ on, isAction }) =>
      (isAction !== true || canAct) && (on === undefined || on.includes(screen) || on.includes(`${screen}/${pane}`)),
  );
}

/** The command of a key at a place; undefined for keys without one, for pasted text and for the mouse. */
export function commandOf(keymap: Keymap, input: KeyInput, place: KeyScope, canAct: boolean): Command | undefined {
  if (input.kind !== 'key' && input.kind !== 'character') return undefined;
  const key = input.kind === 'key' ? input.key : input.character;
  return bindingsAt(keymap, place, canAct).find(({ keys }) => keys.includes(key))?.command;
}
