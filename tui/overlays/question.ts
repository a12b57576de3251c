import type { Question } from '../state/overlay.js';
import type { TerminalState } from '../state/terminal-state.js';
import type { KeyInput } from '../terminal/key-parser.js';
import { type Line, span, words, wrapLine } from '../text/line.js';
import { neutralise } from '../text/visible.js';

const MARGIN = 1;
/** Rows of the text; the keys stay visible in the smallest window. */
const MAX_TEXT_ROWS = 4;

/** Handles a key: `y` and Enter confirm, any other key cancels. */
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

/** The rows of a question: its text, and the keys. */
export function questionLines(question: Question<TerminalState>, columns: number): readonly Line[] {
  const text = question.text.flatMap((paragraph) =>
    wrapLine([words(' '.repeat(MARGIN)), span(neutralise(paragraph), 'strong')], columns - MARGIN, MARGIN),
  );
  return [
    ...text.slice(0, MAX_TEXT_ROWS),
    [words(' y', 'label'), words(' yes ', 'muted'), words(' n', 'label'), words(' no', 'muted')],
  ];
}
