import { cutText } from '../../core/event/text.js';
import type { Prompt, PromptSpec } from '../state/overlay.js';
import type { TerminalState } from '../state/terminal-state.js';
import type { KeyInput } from '../terminal/key-parser.js';

const CONTROL_CHARACTERS = /\p{Cc}+/gu;

/** Opens a prompt with the cursor at the end of its draft. */
export function openPrompt(spec: PromptSpec<TerminalState>, draft = ''): Prompt<TerminalState> {
  return { kind: 'prompt', spec, draft, cursor: draft.length, ...NOTHING_SHOWN };
}

const NOTHING_SHOWN = { historyIndex: undefined, problem: undefined, completion: undefined };

/** Handles a key: text and the keys of `KEY_EDITS` edit, Up and Down recall, Tab completes, Enter accepts, Escape cancels. */
export function pressOnPrompt(state: TerminalState, prompt: Prompt<TerminalState>, input: KeyInput): TerminalState {
  switch (input.kind) {
    case 'mouse':
      return state;
    case 'character':
      return withEdit(state, prompt, insert(prompt, input.character));
    case 'paste':
      return withEdit(state, prompt, insert(prompt, input.text.replace(CONTROL_CHARACTERS, ' ')));
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
      return withEdit(state, prompt, edit(prompt, 'backspace'));
    default:
      return withEdit(state, prompt, edit(prompt, input.key));
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

function withEdit(state: TerminalState, prompt: Prompt<TerminalState>, { draft, cursor }: EditedText): TerminalState {
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

function recall(state: TerminalState, prompt: Prompt<TerminalState>, step: 1 | -1): TerminalState {
  const history = prompt.spec.history ?? [];
  const before = prompt.historyIndex ?? history.length;
  const index = Math.max(0, Math.min(before + step, history.length));
  if (index === before) return state;
  const draft = cutText(history[index] ?? '', MAX_DRAFT_UNITS);
  return showPrompt(state, { ...prompt, draft, cursor: draft.length, ...NOTHING_SHOWN, historyIndex: index });
}

type EditedText = Pick<Prompt<TerminalState>, 'draft' | 'cursor'>;

/** Maximum length of a text in UTF-16 units. */
const MAX_DRAFT_UNITS = 4_096;
const HALF_AT_END = /[\ud800-\udbff]$/;

/** Editing keys, as in shells; other keys do nothing. */
const KEY_EDITS: Readonly<Record<string, (text: EditedText) => EditedText>> = {
  left: ({ draft, cursor }) => ({ draft, cursor: before(draft, cursor) }),
  right: ({ draft, cursor }) => ({ draft, cursor: behind(draft, cursor) }),
  home: ({ draft }) => ({ draft, cursor: 0 }),
  end: ({ draft }) => ({ draft, cursor: draft.length }),
  backspace: ({ draft, cursor }) => without(draft, before(draft, cursor), cursor),
  delete: ({ draft, cursor }) => without(draft, cursor, behind(draft, cursor)),
  'ctrl-a': (text) => edit(text, 'home'),
  'ctrl-e': (text) => edit(text, 'end'),
  'ctrl-b': (text) => edit(text, 'left'),
  'ctrl-f': (text) => edit(text, 'right'),
  'ctrl-d': (text) => edit(text, 'delete'),
  'ctrl-w': ({ draft, cursor }) => without(draft, draft.slice(0, cursor).trimEnd().lastIndexOf(' ') + 1, cursor),
  'ctrl-u': ({ draft, cursor }) => without(draft, 0, cursor),
  'ctrl-k': ({ draft, cursor }) => without(draft, cursor, draft.length),
};

function edit(text: EditedText, key: string): EditedText {
  return KEY_EDITS[key]?.(text) ?? text;
}

function insert({ draft, cursor }: EditedText, text: string): EditedText {
  const room = Math.max(0, MAX_DRAFT_UNITS - draft.length);
  // A paste may have been cut in the middle of a pair.
  const added = text.slice(0, room).replace(HALF_AT_END, '');
  return { draft: draft.slice(0, cursor) + added + draft.slice(cursor), cursor: cursor + added.length };
}

function without(draft: string, from: number, to: number): EditedText {
  return { draft: draft.slice(0, from) + draft.slice(to), cursor: from };
}

function before(draft: string, cursor: number): number {
  return cursor - ([...draft.slice(Math.max(0, cursor - 2), cursor)].at(-1)?.length ?? 0);
}

function behind(draft: string, cursor: number): number {
  return cursor + ([...draft.slice(cursor, cursor + 2)][0]?.length ?? 0);
}
