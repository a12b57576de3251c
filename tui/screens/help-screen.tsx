import type { ReactElement } from 'react';
import { Lines } from '../components/lines.js';
import { TitleBar } from '../components/title-bar.js';
import { ISSUE_SIGNS } from '../format/issue-columns.js';
import { type Line, span, words } from '../format/line.js';
import { fitToCells } from '../format/visible.js';
import { useView } from '../hooks/use-view.js';
import { bindingsOn } from '../keymap.js';
import { type TerminalState, topScreen } from '../state/terminal-state.js';

const LABEL_CELLS = 16;
const FIXED_ROWS = 3;

/** Every key that works on the screen below, from the key table. */
export function HelpScreen({ state }: { state: TerminalState }): ReactElement {
  const { size } = useView();
  const { kind } = topScreen(state);
  const bindings: readonly Line[] = bindingsOn(kind).map(({ label, help }) => [
    words('  '),
    span(fitToCells(label, LABEL_CELLS), 'label'),
    words(help),
  ]);
  const { regressed, resolved, ignored } = ISSUE_SIGNS;
  const signs: Line = [words(`  ${regressed} came back   ${resolved} resolved   ${ignored} ignored`, 'muted')];
  const lines = kind === 'issues' ? [...bindings, [], signs] : bindings;
  return (
    <>
      <TitleBar place="Keys" connection={state.connection} />
      <Lines lines={[[], ...lines]} rows={size.rows - FIXED_ROWS + 1} />
      <Lines lines={[[words(' Esc', 'label'), words(' back ', 'muted')]]} />
    </>
  );
}
