import { keyLabel } from '../format/key-label.js';
import { type Line, span, words } from '../format/line.js';
import { fitToCells } from '../format/visible.js';
import { bindingsAt, type KeyPlace } from '../keymap.js';
import type { Sheet } from '../state/overlay.js';
import type { TerminalState } from '../state/terminal-state.js';
import { helpNotes } from './help-notes.js';

const LABEL_CELLS = 22;

/** Every key that works at a place, from the key table, and what the signs there mean. */
export function openHelp({ keymap }: TerminalState, place: KeyPlace, canAct: boolean): Sheet {
  const bindings = bindingsAt(keymap, place, canAct).filter(({ keys }) => keys.length > 0);
  const lines = bindings.map(
    ({ keys, help }): Line => [
      words('  '),
      span(fitToCells(keys.map(keyLabel).join(' '), LABEL_CELLS), 'label'),
      words(help),
    ],
  );
  const readOnly: Line[] = canAct ? [] : [[], [words('  Reading only: actions are not offered here.', 'muted')]];
  return { kind: 'sheet', title: 'Keys', lines: [[], ...lines, ...readOnly, ...helpNotes(place)], top: 0 };
}
