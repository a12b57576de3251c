import { type Line, span, words } from '../format/line.js';
import { neutralise } from '../format/visible.js';
import { wrapRows } from '../format/wrapped-rows.js';
import type { Question } from '../state/overlay.js';
import type { TerminalState } from '../state/terminal-state.js';
import type { KeyInput } from '../terminal/key-parser.js';

const MARGIN = 1;

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
  const cells = columns - 2 * MARGIN;
  const text = question.text.flatMap((paragraph) => {
    const wrapped = wrapRows(paragraph, { firstCells: cells, restCells: cells });
    return Array.from({ length: wrapped.count() }, (_, place): Line => {
      const { start, end } = wrapped.row(place) ?? { start: 0, end: 0 };
      return [words(' '), span(neutralise(paragraph.slice(start, end)), 'strong')];
    });
  });
  return [...text, [words(' y', 'label'), words(' yes ', 'muted'), words(' n', 'label'), words(' no', 'muted')]];
}
