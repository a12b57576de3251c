import { keyLabel } from '../format/key-label.js';
import { type Line, span, words } from '../format/line.js';
import { fitToCells } from '../format/visible.js';
import { bindingsAt, type KeyBinding, type KeyPlace } from '../keymap.js';
import type { Sheet } from '../state/overlay.js';
import type { TerminalState } from '../state/terminal-state.js';
import { helpNotes } from './help-notes.js';

const LABEL_CELLS = 22;

const TAB = /^pane_(\d)$/;

/** What the signs of a place mean, then every key that works there, from the key table. */
export function openHelp({ keymap, size }: TerminalState, place: KeyPlace, canAct: boolean): Sheet {
  const bindings = bindingsAt(keymap, place, canAct).filter(({ keys }) => keys.length > 0);
  const readOnly: Line[] = canAct ? [] : [[], [words('  Reading only: actions are not offered here.', 'muted')]];
  const lines = [...helpNotes(place, size.columns), [], ...keyLines(bindings), ...readOnly];
  return { kind: 'sheet', title: 'Keys', lines, top: 0 };
}

/** One line for each binding; one for all tabs that are chosen by their number. */
function keyLines(bindings: readonly KeyBinding[]): Line[] {
  const tabs = bindings.filter(isNumbered);
  const [first] = tabs;
  const last = tabs.at(-1);
  return bindings.flatMap((binding): Line[] => {
    if (first === undefined || last === undefined || !isNumbered(binding))
      return [keyLine(binding.keys.map(keyLabel).join(' '), binding.help)];
    return binding === first ? [keyLine(`${first.keys[0]} … ${last.keys[0]}`, 'Choose a tab')] : [];
  });
}

function isNumbered({ command, keys }: KeyBinding): boolean {
  return keys.length === 1 && TAB.exec(command)?.[1] === keys[0];
}

function keyLine(keys: string, help: string): Line {
  return [words('  '), span(fitToCells(keys, LABEL_CELLS), 'label'), words(help)];
}
