import type { Overlay } from '../state/overlay.js';
import type { TerminalState } from '../state/terminal-state.js';
import type { Line } from '../text/line.js';
import { menuLines } from './menu.js';
import { promptLines } from './prompt-lines.js';
import { questionLines } from './question.js';

/** The rows of an overlay, which replace the last row; none for a sheet. */
export function overlayLines(overlay: Overlay<TerminalState>, state: TerminalState): readonly Line[] {
  switch (overlay.kind) {
    case 'prompt':
      return promptLines(overlay, state);
    case 'menu':
      return menuLines(overlay, state);
    case 'question':
      return questionLines(overlay, state.size.columns);
    case 'sheet':
      return [];
  }
}
