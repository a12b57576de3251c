import type { KeyInput } from '../terminal/key-parser.js';

/** The filter while it is being typed. */
export interface Prompt {
  readonly draft: string;
  /** The filter that is in force; Up takes it into the draft. */
  readonly previous: string;
  /** Why the last draft was refused; undefined when it was not. */
  readonly error: string | undefined;
}

/** A prompt into which nothing was typed. */
export const EMPTY_PROMPT: Prompt = { draft: '', previous: '', error: undefined };

/** What a key did to the prompt. */
export type PromptResult = { readonly kind: 'edit'; readonly prompt: Prompt } | { readonly kind: 'apply' | 'cancel' };

const MAX_DRAFT_UNITS = 1_000;
const LAST_WORD = /\S*\s*$/;
const CONTROL_CHARACTERS = /\p{Cc}+/gu;

/** Types one key into the prompt: text goes to its end, Backspace, Ctrl-W and Ctrl-U take away, Up brings back, Enter applies, Escape cancels. */
export function typeIntoPrompt(prompt: Prompt, input: KeyInput): PromptResult {
  switch (input.kind) {
    case 'character':
      return edited(prompt, prompt.draft + input.character);
    case 'paste':
      return edited(prompt, prompt.draft + input.text.replace(CONTROL_CHARACTERS, ' '));
    case 'key':
      break;
  }
  switch (input.key) {
    case 'enter':
      return { kind: 'apply' };
    case 'escape':
      return { kind: 'cancel' };
    case 'backspace':
      return edited(prompt, withoutLastCharacter(prompt.draft));
    case 'ctrl-w':
      return edited(prompt, prompt.draft.slice(0, LAST_WORD.exec(prompt.draft)?.index ?? 0));
    case 'ctrl-u':
      return edited(prompt, '');
    case 'up':
      return edited(prompt, prompt.previous);
    default:
      return { kind: 'edit', prompt };
  }
}

function edited(prompt: Prompt, draft: string): PromptResult {
  const bounded = draft.slice(0, MAX_DRAFT_UNITS);
  return { kind: 'edit', prompt: bounded === prompt.draft ? prompt : { ...prompt, draft: bounded, error: undefined } };
}

function withoutLastCharacter(draft: string): string {
  return [...draft].slice(0, -1).join('');
}
