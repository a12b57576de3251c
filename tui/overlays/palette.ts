import type { Menu } from '../state/overlay.js';
import { readOnlyReason } from '../state/read-only.js';
import type { TerminalState } from '../state/terminal-state.js';
import { bindingsAt, type Command, type KeyScope } from '../terminal/keymap.js';
import { keyLabel } from '../text/key-label.js';
import { openMenu } from './menu.js';

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
