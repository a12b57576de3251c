import type { Screen } from './state/terminal-state.js';
import type { KeyInput } from './terminal/key-parser.js';
import type { NamedKey } from './terminal/named-keys.js';

/** What a key can ask for. */
export type Command =
  | 'down'
  | 'up'
  | 'page_down'
  | 'page_up'
  | 'half_down'
  | 'half_up'
  | 'first'
  | 'last'
  | 'open'
  | 'back'
  | 'follow'
  | 'filter'
  | 'sort'
  | 'help'
  | 'redraw'
  | 'suspend'
  | 'quit';

type ScreenKind = Screen['kind'];

/** One line of the key table. */
export interface KeyBinding {
  readonly keys: readonly (NamedKey | string)[];
  readonly command: Command;
  /** The keys as people read them. */
  readonly label: string;
  /** What they do, for the `?` screen. */
  readonly help: string;
  /** The shortest words for it in the line at the bottom; absent: not listed there. */
  readonly hint?: string;
  /** Screens on which it works; absent: all. */
  readonly on?: readonly ScreenKind[];
}

const LISTS = ['issues', 'events'] as const;

/** Every key of the terminal. The hints at the bottom and the `?` screen are printed from it. */
export const KEY_BINDINGS: readonly KeyBinding[] = [
  { keys: ['down', 'j'], command: 'down', label: '↓ j', help: 'Down', hint: 'down' },
  { keys: ['up', 'k'], command: 'up', label: '↑ k', help: 'Up', hint: 'up' },
  { keys: ['enter', 'l', 'right'], command: 'open', label: 'Enter l →', help: 'Open', hint: 'open', on: LISTS },
  {
    keys: ['escape', 'backspace', 'h', 'left'],
    command: 'back',
    label: 'Esc h ←',
    help: 'Back to Issue',
    hint: 'Back to Issue',
    on: ['event'],
  },
  { keys: ['enter'], command: 'follow', label: 'Enter', help: 'Follow the link at the end', on: ['event'] },
  {
    keys: ['escape', 'backspace', 'h', 'left'],
    command: 'back',
    label: 'Esc h ←',
    help: 'Back to the issues',
    hint: 'back',
    on: ['events'],
  },
  { keys: ['/'], command: 'filter', label: '/', help: 'Filter by a query', hint: 'filter', on: ['issues'] },
  { keys: ['escape', 'backspace'], command: 'back', label: 'Esc', help: 'Clear the filter', on: ['issues'] },
  { keys: ['s'], command: 'sort', label: 's', help: 'Sort by last seen or by count', hint: 'sort', on: ['issues'] },
  { keys: ['pagedown'], command: 'page_down', label: 'PageDown', help: 'A page down', on: LISTS },
  { keys: ['pagedown', ' '], command: 'page_down', label: 'PageDown Space', help: 'A page down', on: ['event'] },
  { keys: ['pageup'], command: 'page_up', label: 'PageUp', help: 'A page up' },
  { keys: ['ctrl-d'], command: 'half_down', label: 'Ctrl-D', help: 'Half a page down' },
  { keys: ['ctrl-u'], command: 'half_up', label: 'Ctrl-U', help: 'Half a page up' },
  { keys: ['g', 'home'], command: 'first', label: 'g Home', help: 'To the first row', hint: 'top' },
  { keys: ['G', 'end'], command: 'last', label: 'G End', help: 'To the last row' },
  { keys: ['?'], command: 'help', label: '?', help: 'These keys', hint: 'keys' },
  { keys: ['ctrl-l'], command: 'redraw', label: 'Ctrl-L', help: 'Draw the screen again' },
  { keys: ['ctrl-z'], command: 'suspend', label: 'Ctrl-Z', help: 'Back to the shell; `fg` returns' },
  { keys: ['q', 'ctrl-c'], command: 'quit', label: 'q Ctrl-C', help: 'Leave', hint: 'quit' },
];

/** The bindings that work on a screen. */
export function bindingsOn(screen: ScreenKind): readonly KeyBinding[] {
  return KEY_BINDINGS.filter(({ on }) => on === undefined || on.includes(screen));
}

/** The command of a key on a screen; undefined for keys without one and for pasted text. */
export function commandOf(input: KeyInput, screen: ScreenKind): Command | undefined {
  if (input.kind === 'paste') return undefined;
  const key = input.kind === 'key' ? input.key : input.character;
  return bindingsOn(screen).find(({ keys }) => keys.includes(key))?.command;
}
