import type { Prompt, PromptSpec } from '../state/overlay.js';
import type { TerminalState } from '../state/terminal-state.js';
import type { KeyInput } from '../terminal/key-parser.js';
import { editText, MAX_DRAFT_UNITS } from './edit-text.js';

const CONTROL_CHARACTERS = /\p{Cc}+/gu;

/** Opens a prompt with the cursor at the end of its draft. */
export function openPrompt(spec: PromptSpec<TerminalState>, draft = ''): Prompt<TerminalState> {
  return { kind: 'prompt', spec, draft, cursor: draft.length, ...NOTHING_SHOWN };
}

const NOTHING_SHOWN = { historyIndex: undefined, problem: undefined, completion: undefined };

/** Handles a key: text and the keys of `edit-text.ts` edit, Up and Down recall, Tab completes, Enter accepts, Escape cancels. */
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
      if (prompt.completion !== undefined && prompt.spec.edited === undefined && prompt.spec.title === undefined)
        return showPrompt(state, { ...prompt, completion: undefined });
      return cancel(state, prompt);
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
      // Backspace in an empty prompt cancels it.
      if (prompt.draft === '') return cancel(state, prompt);
      return withEdit(state, prompt, editText(prompt, { key: 'backspace' }));
    default:
      return withEdit(state, prompt, editText(prompt, { key: input.key }));
  }
}

function cancel(state: TerminalState, { spec }: Prompt<TerminalState>): TerminalState {
  const closed = { ...state, overlay: undefined };
  return spec.cancel?.(closed) ?? closed;
}

function showPrompt(state: TerminalState, prompt: Prompt<TerminalState>): TerminalState {
  const shown = { ...state, overlay: prompt };
  return prompt.spec.edited?.(shown, prompt) ?? shown;
}

function withEdit(
  state: TerminalState,
  prompt: Prompt<TerminalState>,
  { draft, cursor }: { draft: string; cursor: number },
): TerminalState {
  if (draft === prompt.draft && cursor === prompt.cursor) return state;
  return showPrompt(state, { ...prompt, draft, cursor, ...NOTHING_SHOWN });
}

function accept(state: TerminalState, prompt: Prompt<TerminalState>): TerminalState {
  const text = prompt.draft.trim();
  const problem = prompt.spec.check?.(text);
  if (problem === undefined) return prompt.spec.accept({ ...state, overlay: undefined }, text);
  // The column of the problem counts in the trimmed text.
  const blanks = prompt.draft.length - prompt.draft.trimStart().length;
  const cursor = Math.max(0, Math.min(prompt.cursor - blanks, text.length));
  return showPrompt(state, { ...prompt, draft: text, cursor, problem, completion: undefined });
}

/** Inserts the next candidate; the first Tab finds the candidates. */
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
  // After a single candidate the next Tab completes the following word.
  const next = candidates.length === 1 ? undefined : { ...found, to: cursor, selected };
  return showPrompt(state, { ...prompt, draft, cursor, problem: undefined, completion: next });
}

/** Recalls an earlier text, or the empty draft after the latest one. */
function recall(state: TerminalState, prompt: Prompt<TerminalState>, step: 1 | -1): TerminalState {
  const history = prompt.spec.history ?? [];
  const before = prompt.historyIndex ?? history.length;
  const index = Math.max(0, Math.min(before + step, history.length));
  if (index === before) return state;
  const draft = (history[index] ?? '').slice(0, MAX_DRAFT_UNITS);
  return showPrompt(state, { ...prompt, draft, cursor: draft.length, ...NOTHING_SHOWN, historyIndex: index });
}
