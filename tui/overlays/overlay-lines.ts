import type { Overlay } from '../state/overlay.js';
import { type TerminalState, topScreen } from '../state/terminal-state.js';
import { type Line, words } from '../text/line.js';
import { menuLines } from './menu.js';
import { promptLines } from './prompt-lines.js';
import { questionLines } from './question.js';

function promptKeys(state: TerminalState): Line {
  return [
    ['Enter', 'apply'],
    ['Tab', 'complete'],
    ['↑', topScreen(state).kind === 'events' ? 'earlier searches' : 'earlier filters'],
    ['Esc', 'cancel'],
  ].flatMap(([key = '', meaning = '']) => [words(` ${key}`, 'label'), words(` ${meaning} `, 'muted')]);
}

/** The rows of an overlay, which replace the last row; none for a sheet. */
export function overlayLines(overlay: Overlay<TerminalState>, state: TerminalState): readonly Line[] {
  switch (overlay.kind) {
    case 'prompt':
      return overlay.spec.edited === undefined ? promptLines(overlay, state) : [promptKeys(state)];
    case 'menu':
      return menuLines(overlay, state);
    case 'question':
      return questionLines(overlay, state.size.columns);
    case 'sheet':
      return [];
  }
}
