import type { Overlay } from '../state/overlay.js';
import type { TerminalState } from '../state/terminal-state.js';
import type { Line } from '../text/line.js';
import { menuLines } from './menu.js';
import { promptLines } from './prompt-lines.js';
import { questionLines } from './question.js';

/** What an overlay puts in the place of the bottom row; nothing for one that covers the screen. */
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
