import type { Menu } from '../state/overlay.js';
import { readOnlyReason } from '../state/read-only.js';
import type { TerminalState } from '../state/terminal-state.js';
import { bindingsAt, type Command, type KeyScope } from '../terminal/keymap.js';
import { keyLabel } from '../text/key-label.js';
import { openMenu } from './menu.js';

/** Commands that only mean something as a key. */
const ONLY_KEYS: ReadonlySet<Command> = new Set(['down', 'up', 'half_down', 'half_up', 'palette', 'redraw', 'suspend']);

/** All commands of a place, found by their words, and why no action is among them where none is; `run` does one. */
export function openPalette(
  state: TerminalState,
  place: KeyScope,
  canAct: boolean,
  run: (state: TerminalState, command: Command) => TerminalState,
): Menu<TerminalState> {
  const bindings = bindingsAt(state.keymap, place, canAct).filter(({ command }) => !ONLY_KEYS.has(command));
  const items = bindings.map(({ command, help, keys }) => ({
    label: help,
    detail: [command.replaceAll('_', ' '), keys.map(keyLabel).join(' ')].filter((text) => text !== '').join('   '),
    run: (now: TerminalState) => run(now, command),
  }));
  return openMenu(':', items, { search: true, ...(!canAct && { note: readOnlyReason(state) }) });
}
