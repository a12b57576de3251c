import type { ReactElement } from 'react';
import { keyLabel } from '../format/key-label.js';
import { type Line, type Meaning, span, spread, words } from '../format/line.js';
import { neutralise } from '../format/visible.js';
import { bindingsAt } from '../keymap.js';
import { overlayLines } from '../overlays/overlay-lines.js';
import { mayAct, placeOf } from '../route.js';
import { logicOf } from '../screens/logic-of.js';
import { type Notice, type TerminalState, topScreen } from '../state/terminal-state.js';
import { Lines } from './lines.js';

const TONES: Readonly<Record<Notice['tone'], Meaning>> = { good: 'good', info: 'info', error: 'error' };

/** The bottom: what lies over the screen, else what was done, else why the collector is lost, else the keys that work here. */
export function BottomRows({ state }: { state: TerminalState }): ReactElement {
  const { overlay, size } = state;
  if (overlay !== undefined) return <Lines lines={overlayLines(overlay, state)} />;
  const position = logicOf(topScreen(state)).position(state);
  const right: Line = [words('  '), span(position, 'muted'), words(' ')];
  return <Lines lines={[spread(leftLine(state), right, size.columns)]} />;
}

function leftLine(state: TerminalState): Line {
  const { notice, connection } = state;
  if (notice !== undefined) return [words(' '), span(neutralise(notice.text), TONES[notice.tone])];
  if (connection.kind === 'lost') return [words(' '), span(neutralise(connection.reason), 'error')];
  return bindingsAt(state.keymap, placeOf(state), mayAct(state)).flatMap(({ keys, hint }) =>
    hint === undefined || keys[0] === undefined
      ? []
      : [words(` ${keyLabel(keys[0])}`, 'label'), words(` ${hint} `, 'muted')],
  );
}
