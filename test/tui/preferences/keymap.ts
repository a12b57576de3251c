import type { KeyRow } from '../../../tui/preferences/check-keys.js';

/** A keymap with the cases of the built-in one: several rows of a command, panes, one key for different commands on different screens. */
export const KEYMAP: readonly KeyRow[] = [
  { command: 'open', keys: ['enter', 'l', 'right'], on: ['issues', 'issue', 'events'] },
  { command: 'toggle', keys: ['enter', ' '], on: ['event/raw', 'event/normalized'] },
  { command: 'follow', keys: ['enter'], on: ['event/detail'] },
  { command: 'back', keys: ['escape', 'backspace'], on: ['issues'] },
  { command: 'back', keys: ['escape', 'backspace', 'h', 'left'], on: ['issue', 'event'] },
  { command: 'resolve', keys: ['r'], on: ['issues', 'issue'] },
  { command: 'ignore', keys: ['i'], on: ['issues', 'issue'] },
  { command: 'reopen', keys: ['o'], on: ['issues', 'issue'] },
  { command: 'assign', keys: ['a'], on: ['issues', 'issue'] },
  { command: 'filter', keys: ['/'], on: ['issues'] },
  { command: 'range_earlier', keys: ['['], on: ['issue'] },
  { command: 'next', keys: ['n'], on: ['event'] },
  { command: 'mark', keys: [' '], on: ['issues'] },
  { command: 'outline', keys: ['#'], on: ['issues'] },
  { command: 'include', keys: ['*'], on: ['issues', 'event/raw'] },
  { command: 'page_down', keys: ['pagedown', ' '], on: ['event/detail'] },
  { command: 'refresh', keys: ['f5'] },
  { command: 'first', keys: ['g', 'home'] },
  { command: 'copy', keys: ['y'] },
  { command: 'palette', keys: [':'] },
  { command: 'help', keys: ['?'] },
  { command: 'quit', keys: ['q', 'ctrl-c'] },
];
