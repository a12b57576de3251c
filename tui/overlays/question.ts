import type { Question } from '../state/overlay.js';
import type { TerminalState } from '../state/terminal-state.js';
import type { KeyInput } from '../terminal/key-parser.js';
import { type Line, span, words } from '../text/line.js';
import { neutralise } from '../text/visible.js';
import { wrapLine } from '../text/wrapped-line.js';

const MARGIN = 1;
/** Rows of the text, so that the keys that answer are seen in the smallest window too. */
const MAX_TEXT_ROWS = 4;

/** The state after a key: `y` or Enter does it, any other key does not. */
export function pressOnQuestion(
  state: TerminalState,
  question: Question<TerminalState>,
  input: KeyInput,
): TerminalState {
  if (input.kind === 'mouse') return state;
  const closed = { ...state, overlay: undefined };
  const isYes = input.kind === 'character' ? input.character === 'y' : input.kind === 'key' && input.key === 'enter';
  return isYes ? question.yes(closed) : closed;
}

/** The question at the bottom: what will happen, and the keys that answer. */
export function questionLines(question: Question<TerminalState>, columns: number): readonly Line[] {
  const text = question.text.flatMap((paragraph) =>
    wrapLine([words(' '.repeat(MARGIN)), span(neutralise(paragraph), 'strong')], columns - MARGIN, MARGIN),
  );
  return [
    ...text.slice(0, MAX_TEXT_ROWS),
    [words(' y', 'label'), words(' yes ', 'muted'), words(' n', 'label'), words(' no', 'muted')],
  ];
}
