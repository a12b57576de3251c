import { ISSUE_SIGNS } from '../format/issue/issue-columns.js';
import type { Sheet } from '../state/overlay.js';
import { readOnlyReason } from '../state/read-only.js';
import type { TerminalState } from '../state/terminal-state.js';
import { bindingsAt, type KeyBinding, type KeyScope } from '../terminal/keymap.js';
import { keyLabel } from '../text/key-label.js';
import { type Line, span, words } from '../text/line.js';
import { fitToCells, literal } from '../text/visible.js';
import { wrapLine } from '../text/wrapped-line.js';

const LABEL_CELLS = 22;

const TAB = /^pane_(\d)$/;

/** Opens the help: the signs, why actions are not offered, and every key of the scope. */
export function openHelp(state: TerminalState, scope: KeyScope, canAct: boolean): Sheet<TerminalState> {
  const { keymap, size } = state;
  const bindings = bindingsAt(keymap, scope, canAct).filter(({ keys }) => keys.length > 0);
  const reason: Line = [words('  '), span(literal(readOnlyReason(state)), 'warning')];
  const readOnly: Line[] = canAct ? [] : [[], ...wrapLine(reason, size.columns, 2)];
  const lines = [...signLines(scope, size.columns), ...readOnly, [], ...keyLines(bindings)];
  return { kind: 'sheet', title: `Help: ${scope.screen}`, lines, top: 0 };
}

/** One line per binding, and one for all tabs. */
function keyLines(bindings: readonly KeyBinding[]): Line[] {
  const tabs = bindings.filter(isNumbered);
  const [first] = tabs;
  const last = tabs.at(-1);
  return bindings.flatMap((binding): Line[] => {
    if (first === undefined || last === undefined || !isNumbered(binding))
      return [keyLine(binding.keys.map(keyLabel).join(' '), binding.help)];
    return binding === first ? [keyLine(`${first.keys[0]} … ${last.keys[0]}`, 'Tabs')] : [];
  });
}

function isNumbered({ command, keys }: KeyBinding): boolean {
  return keys.length === 1 && TAB.exec(command)?.[1] === keys[0];
}

function keyLine(keys: string, help: string): Line {
  return [words('  '), span(fitToCells(keys, LABEL_CELLS), 'label'), words(help)];
}

function signLines({ screen }: KeyScope, cells: number): readonly Line[] {
  if (screen !== 'issues') return [];
  const { regressed, spiking, new: fresh, resolved, ignored } = ISSUE_SIGNS;
  const signs = [
    `${regressed} came back`,
    `${spiking} spiking`,
    `${fresh} new`,
    `${resolved} resolved`,
    `${ignored} ignored`,
  ];
  return [[], ...wrapLine([words(`  ${signs.join('  ')}`, 'muted')], cells, 2)];
}
