import type { Overlay } from '../state/overlay.js';
import type { TerminalState } from '../state/terminal-state.js';
import type { KeyInput } from '../terminal/key-parser.js';
import { pressOnMenu } from './menu.js';
import { pressOnPrompt } from './prompt.js';
import { pressOnQuestion } from './question.js';
import { pressOnSheet } from './sheet.js';

/** The state after a key that went to what lies over the screen. */
export function pressOnOverlay(state: TerminalState, overlay: Overlay<TerminalState>, input: KeyInput): TerminalState {
  switch (overlay.kind) {
    case 'prompt':
      return pressOnPrompt(state, overlay, input);
    case 'menu':
      return pressOnMenu(state, overlay, input);
    case 'question':
      return pressOnQuestion(state, overlay, input);
    case 'sheet':
      return pressOnSheet(state, overlay, input);
  }
}
