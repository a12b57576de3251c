import type { KeyInput } from './key-parser.js';

/** Where a key works: a screen, or one of its panes. */
export interface KeyScope {
  readonly screen: 'issues' | 'issue' | 'event' | 'events' | 'status' | 'rejected' | 'releases';
  readonly pane?: string;
}

/** Commands that change issues. */
export const TRIAGE_COMMANDS = ['resolve', 'ignore', 'reopen', 'assign', 'comment', 'merge', 'split', 'undo'] as const;

/** A row of the key table. */
export interface KeyBinding<Name extends string = Command> {
  readonly command: Name;
  /** Printable characters, or names of `named-keys.ts`. */
  readonly keys: readonly string[];
  /** For the `?` screen and the palette. */
  readonly help: string;
  /** For the hints in the last row; absent: not listed there. */
  readonly hint?: string;
  /** `screen` or `screen/pane`; absent: everywhere. */
  readonly on?: readonly string[];
  /** Shown and active only if the user may act. */
  readonly isAction?: true;
}

/** The key table with the changes of the preferences. */
export type Keymap = readonly KeyBinding[];

const LISTS = ['issues', 'issue', 'events'] as const;
const TRIAGE = ['issues', 'issue', 'event'] as const;
const OPEN = ['enter', 'right', 'l'] as const;
const TOGGLE = ['enter', ' ', 'l', 'right'] as const;
const BACK = ['escape', 'left', 'h', 'backspace'] as const;
const PAGED = [...LISTS, 'event/stack', 'event/related', 'status', 'rejected', 'releases'] as const;
const ACTION = { on: TRIAGE, isAction: true } as const;
const STATUS = 'Status: sources, receivers, rejected payloads';

/** Every command with its keys. Hints, the `?` screen and the palette come from it. */
const BINDINGS = [
  { command: 'down', keys: ['down', 'j'], help: 'Down' },
  { command: 'up', keys: ['up', 'k'], help: 'Up' },
  { command: 'open', keys: OPEN, help: 'Open', hint: 'open', on: [...LISTS, 'event/related', 'event/diff'] },
  { command: 'open', keys: OPEN, help: 'Read only this source, or all', hint: 'only this source', on: ['status'] },
  { command: 'open', keys: OPEN, help: 'Whole payload', hint: 'whole payload', on: ['rejected'] },
  { command: 'open', keys: OPEN, help: 'Issues that are new in it', hint: 'new issues', on: ['releases'] },
  { command: 'came_back', keys: ['b'], help: 'Issues that came back in it', hint: 'came back', on: ['releases'] },
  { command: 'gone', keys: ['d'], help: 'Issues that are gone since it', hint: 'gone', on: ['releases'] },
  { command: 'since', keys: ['w'], help: 'New since another release', hint: 'other release', on: ['issues/since'] },
  { command: 'rejected', keys: ['R'], help: 'Rejected payloads', hint: 'rejected', on: ['status'] },
  { command: 'toggle', keys: TOGGLE, help: 'Fold or unfold', hint: 'fold', on: ['event/stack'] },
  { command: 'follow', keys: ['enter'], help: 'Open the link', on: ['event/detail'] },
  { command: 'back', keys: BACK, help: 'Clear marks, then the filter', on: ['issues/list'] },
  {
    command: 'back',
    keys: BACK,
    help: 'Back',
    hint: 'back',
    on: ['issues/since', 'issue', 'events', 'status', 'rejected', 'releases'],
  },
  { command: 'back', keys: BACK, help: 'Back to Issue', hint: 'Back to Issue', on: ['event'] },
  { command: 'resolve', keys: ['r'], help: 'Resolve', hint: 'resolve', on: TRIAGE, isAction: true },
  { command: 'ignore', keys: ['i'], help: 'Ignore, with or without an end', hint: 'ignore', ...ACTION },
  { command: 'reopen', keys: ['o'], help: 'Reopen', hint: 'reopen', on: TRIAGE, isAction: true },
  { command: 'assign', keys: ['a'], help: 'Assign', hint: 'assign', on: TRIAGE, isAction: true },
  { command: 'comment', keys: ['c'], help: 'Comment', hint: 'comment', on: TRIAGE, isAction: true },
  { command: 'merge', keys: ['m'], help: 'Merge the marked issues', on: ['issues', 'issue/related'], isAction: true },
  { command: 'split', keys: ['M'], help: 'Split a merged issue', on: ['issues', 'issue'], isAction: true },
  { command: 'undo', keys: ['u'], help: 'Undo', hint: 'undo', on: TRIAGE, isAction: true },
  { command: 'filter', keys: ['/'], help: 'Filter', hint: 'filter', on: [...LISTS, 'rejected'] },
  { command: 'find', keys: ['/'], help: 'Find', hint: 'find', on: ['event'] },
  { command: 'find_next', keys: ['ctrl-n'], help: 'Next match', on: ['event'] },
  { command: 'find_previous', keys: ['ctrl-p'], help: 'Previous match', on: ['event'] },
  { command: 'include', keys: ['*'], help: 'Only this value', on: [...LISTS, 'event'] },
  { command: 'exclude', keys: ['!'], help: 'Without this value', on: [...LISTS, 'event'] },
  { command: 'preview', keys: ['p'], help: 'Show or hide the preview', on: ['issues', 'issue/events', 'rejected'] },
  { command: 'views', keys: ['v'], help: 'Saved filters', on: ['issues'] },
  { command: 'since', keys: ['w'], help: 'New since a release', hint: 'what is new', on: ['issues/list'] },
  { command: 'releases', keys: ['W'], help: 'Releases', on: ['issues'] },
  { command: 'sort', keys: ['s'], help: 'Sort', hint: 'sort', on: ['issues'] },
  { command: 'sources', keys: ['S'], help: STATUS, hint: 'status', on: ['issues/list'] },
  { command: 'mark', keys: [' '], help: 'Mark', on: ['issues'] },
  { command: 'mark', keys: [' '], help: 'Mark to merge', hint: 'mark to merge', on: ['issue/related'], isAction: true },
  { command: 'mark_range', keys: ['V'], help: 'Mark the range from the last mark', on: ['issues'] },
  { command: 'mark_all', keys: ['A'], help: 'Mark all that match', on: ['issues'] },
  { command: 'next', keys: ['n'], help: 'Next event', hint: 'next', on: ['event'] },
  { command: 'previous', keys: ['N'], help: 'Previous event', on: ['event'] },
  { command: 'next', keys: ['n'], help: 'Next issue of the list', hint: 'next', on: ['issue'] },
  { command: 'previous', keys: ['N'], help: 'Previous issue of the list', on: ['issue'] },
  { command: 'diff', keys: ['d'], help: 'Compare with another event', on: ['event'] },
  { command: 'fold', keys: ['z'], help: 'Fold or unfold the section', hint: 'fold', on: ['event/detail'] },
  { command: 'unfold_all', keys: ['Z'], help: 'Fold or unfold all', on: ['event'] },
  { command: 'range_earlier', keys: ['['], help: 'Earlier time window', on: ['issue'] },
  { command: 'range_later', keys: [']'], help: 'Later time window', on: ['issue'] },
  { command: 'range_narrower', keys: ['+', '='], help: 'Shorter time window', on: ['issue'] },
  { command: 'range_wider', keys: ['-'], help: 'Longer time window', on: ['issue'] },
  { command: 'range_all', keys: ['0'], help: 'All times', on: ['issue'] },
  { command: 'pane_next', keys: ['tab'], help: 'Next tab', on: ['issues', 'issue', 'event'] },
  { command: 'pane_previous', keys: ['shift-tab'], help: 'Previous tab', on: ['issues', 'issue', 'event'] },
  { command: 'pane_1', keys: ['1'], help: 'First tab', on: ['issues', 'issue', 'event'] },
  { command: 'pane_2', keys: ['2'], help: 'Second tab', on: ['issues', 'issue', 'event'] },
  { command: 'pane_3', keys: ['3'], help: 'Third tab', on: ['issues', 'issue', 'event'] },
  { command: 'pane_4', keys: ['4'], help: 'Fourth tab', on: ['issues', 'issue', 'event'] },
  { command: 'pane_5', keys: ['5'], help: 'Fifth tab', on: ['issues', 'issue'] },
  { command: 'pane_6', keys: ['6'], help: 'Sixth tab', on: ['issues'] },
  { command: 'copy', keys: ['y'], help: 'Copy', hint: 'copy' },
  { command: 'export', keys: ['x'], help: 'Export the list to a file', on: [...LISTS, 'rejected'] },
  { command: 'edit', keys: ['e'], help: 'Open in $EDITOR', hint: 'editor', on: ['event'] },
  { command: 'search_events', keys: ['f'], help: 'Search all events', on: ['issues'] },
  { command: 'page_down', keys: ['pagedown'], help: 'Page down', on: PAGED },
  { command: 'page_down', keys: ['pagedown', ' '], help: 'Page down', on: ['event/detail', 'event/diff'] },
  { command: 'page_up', keys: ['pageup'], help: 'Page up' },
  { command: 'half_down', keys: ['ctrl-d'], help: 'Half page down' },
  { command: 'half_up', keys: ['ctrl-u'], help: 'Half page up' },
  { command: 'first', keys: ['g', 'home'], help: 'Top' },
  { command: 'last', keys: ['G', 'end'], help: 'Bottom' },
  { command: 'suggestions', keys: [], help: 'Suggestions: issues that look like one' },
  {
    command: 'sources',
    keys: ['S'],
    help: STATUS,
    on: ['issues/since', 'issue', 'event', 'events', 'status', 'rejected', 'releases'],
  },
  { command: 'time_zone', keys: ['t'], help: 'Times in UTC or local time' },
  { command: 'mouse', keys: [], help: 'Mouse on or off' },
  { command: 'palette', keys: [':'], help: 'All commands', hint: 'commands' },
  { command: 'help', keys: ['?'], help: 'Help', hint: 'help' },
  { command: 'redraw', keys: ['ctrl-l'], help: 'Redraw' },
  { command: 'suspend', keys: ['ctrl-z'], help: 'Suspend (fg returns)' },
  { command: 'quit', keys: ['q', 'ctrl-c'], help: 'Quit', hint: 'quit' },
] as const satisfies readonly KeyBinding<string>[];

/** Every command of the terminal. */
export type Command = (typeof BINDINGS)[number]['command'];

/** The built-in keys of the terminal. */
export const DEFAULT_KEYMAP: Keymap = BINDINGS;

/** The bindings that are active in a scope. */
export function bindingsAt(keymap: Keymap, { screen, pane }: KeyScope, canAct: boolean): readonly KeyBinding[] {
  return keymap.filter(
    ({ on, isAction }) =>
      (isAction !== true || canAct) && (on === undefined || on.includes(screen) || on.includes(`${screen}/${pane}`)),
  );
}

/** The command of a key in a scope; undefined for keys without one, pasted text and the mouse. */
export function commandOf(keymap: Keymap, input: KeyInput, scope: KeyScope, canAct: boolean): Command | undefined {
  if (input.kind !== 'key' && input.kind !== 'character') return undefined;
  const key = input.kind === 'key' ? input.key : input.character;
  return bindingsAt(keymap, scope, canAct).find(({ keys }) => keys.includes(key))?.command;
}

const LABELS: Readonly<Record<string, string>> = {
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
  enter: 'Enter',
  escape: 'Esc',
  backspace: 'Backspace',
  delete: 'Del',
  tab: 'Tab',
  'shift-tab': 'Shift-Tab',
  pageup: 'PgUp',
  pagedown: 'PgDn',
  home: 'Home',
  end: 'End',
  insert: 'Insert',
  ' ': 'Space',
};

/** The label of a key on the screen: `↓`, `Esc`, `Ctrl-D`, `F5`, `j`. */
export function keyLabel(key: string): string {
  const known = LABELS[key];
  if (known !== undefined) return known;
  const ctrl = /^ctrl-(.)$/.exec(key);
  if (ctrl !== null) return `Ctrl-${ctrl[1]?.toUpperCase()}`;
  return /^f\d+$/.test(key) ? key.toUpperCase() : key;
}
