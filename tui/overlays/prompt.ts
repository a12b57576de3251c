import type { Prompt, PromptSpec } from '../state/overlay.js';
import type { TerminalState } from '../state/terminal-state.js';
import type { KeyInput } from '../terminal/key-parser.js';
import { editText, MAX_DRAFT_UNITS } from './edit-text.js';

const CONTROL_CHARACTERS = /\p{Cc}+/gu;

/** A prompt with a text to begin with, at its end. */
export function openPrompt(spec: PromptSpec<TerminalState>, draft = ''): Prompt<TerminalState> {
  return {
    kind: 'prompt',
    spec,
    draft,
    cursor: draft.length,
    historyIndex: undefined,
    problem: undefined,
    completion: undefined,
  };
}

/**
 * The state after a key: text goes to the cursor; Left, Right, Home, End, Ctrl-A, Ctrl-E, Ctrl-B and Ctrl-F move it; Backspace, Delete, Ctrl-W, Ctrl-U and Ctrl-K take away;
 * Up and Down go through earlier answers; Tab completes; Enter takes the text, Escape leaves.
 */
export function pressOnPrompt(state: TerminalState, prompt: Prompt<TerminalState>, input: KeyInput): TerminalState {
  switch (input.kind) {
    case 'mouse':
      return state;
    case 'character':
      return withEdit(state, prompt, editText(prompt, { insert: input.character }));
    case 'paste':
      return withEdit(state, prompt, editText(prompt, { insert: input.text.replace(CONTROL_CHARACTERS, ' ') }));
    case 'key':
      break;
  }
  switch (input.key) {
    case 'enter':
      return accept(state, prompt);
    case 'escape':
      if (prompt.completion !== undefined) return showPrompt(state, { ...prompt, completion: undefined });
      return (prompt.spec.cancel ?? ((now) => now))({ ...state, overlay: undefined });
    case 'tab':
      return complete(state, prompt, 1);
    case 'shift-tab':
      return complete(state, prompt, -1);
    case 'up':
    case 'ctrl-p':
      return recall(state, prompt, -1);
    case 'down':
    case 'ctrl-n':
      return recall(state, prompt, 1);
    case 'backspace':
      // An empty prompt is left by taking away once more.
      if (prompt.draft === '') return (prompt.spec.cancel ?? ((now) => now))({ ...state, overlay: undefined });
      return withEdit(state, prompt, editText(prompt, { key: 'backspace' }));
    default:
      return withEdit(state, prompt, editText(prompt, { key: input.key }));
  }
}

function showPrompt(state: TerminalState, prompt: Prompt<TerminalState>): TerminalState {
  return { ...state, overlay: prompt };
}

function withEdit(
  state: TerminalState,
  prompt: Prompt<TerminalState>,
  { draft, cursor }: { draft: string; cursor: number },
): TerminalState {
  if (draft === prompt.draft && cursor === prompt.cursor) return state;
  return showPrompt(state, {
    ...prompt,
    draft,
    cursor,
    historyIndex: undefined,
    problem: undefined,
    completion: undefined,
  });
}

function accept(state: TerminalState, prompt: Prompt<TerminalState>): TerminalState {
  const text = prompt.draft.trim();
  const problem = prompt.spec.check?.(text);
  if (problem === undefined) return prompt.spec.accept({ ...state, overlay: undefined }, text);
  // The problem's column is counted in the text without the blanks around it.
  const blanks = prompt.draft.length - prompt.draft.trimStart().length;
  const cursor = Math.max(0, Math.min(prompt.cursor - blanks, text.length));
  return showPrompt(state, { ...prompt, draft: text, cursor, problem, completion: undefined });
}

/** Puts the next candidate in; the first Tab finds the candidates. */
function complete(state: TerminalState, prompt: Prompt<TerminalState>, step: 1 | -1): TerminalState {
  const { spec, completion } = prompt;
  if (spec.complete === undefined) return state;
  const found = completion ?? {
    ...spec.complete(state, prompt.draft, prompt.cursor),
    selected: step > 0 ? -1 : 0,
  };
  const { candidates } = found;
  const selected = (found.selected + step + candidates.length) % candidates.length;
  const text = candidates[selected]?.text;
  if (text === undefined) return state;
  const draft = prompt.draft.slice(0, found.from) + text + prompt.draft.slice(found.to);
  if (draft.length > MAX_DRAFT_UNITS) return state;
  const cursor = found.from + text.length;
  // A single candidate is taken: the next Tab completes what follows.
  const kept = candidates.length === 1 ? undefined : { ...found, to: cursor, selected };
  return showPrompt(state, { ...prompt, draft, cursor, problem: undefined, completion: kept });
}

/** Takes an earlier answer into the draft, or the empty draft behind the latest one. */
function recall(state: TerminalState, prompt: Prompt<TerminalState>, step: 1 | -1): TerminalState {
  const history = prompt.spec.history ?? [];
  const before = prompt.historyIndex ?? history.length;
  const place = Math.max(0, Math.min(before + step, history.length));
  // Behind the latest answer there is nothing to go to, and what was typed stays.
  if (place === before) return state;
  const draft = (history[place] ?? '').slice(0, MAX_DRAFT_UNITS);
  return showPrompt(state, {
    ...prompt,
    draft,
    cursor: draft.length,
    historyIndex: place,
    problem: undefined,
    completion: undefined,
  });
}
