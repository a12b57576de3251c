import type { QueryCompletion } from '../../core/query/complete-query.js';
import type { Line } from '../text/line.js';

/** A one-line prompt and its handlers. */
export interface PromptSpec<State> {
  /** In a rule above the prompt, which then names its completions below. Default: none. */
  readonly title?: string;
  /** Before the text: `/`, `assignee:`. */
  readonly label: string;
  /** Earlier texts, latest last, for Up and Down. */
  readonly history?: readonly string[];
  /** Completions at the cursor. */
  readonly complete?: (state: State, text: string, cursor: number) => QueryCompletion;
  /** Why a text is invalid; undefined if it is valid. */
  readonly check?: (text: string) => PromptProblem | undefined;
  /** What the text would do, shown while typing. */
  readonly hint?: (state: State, text: string) => string;
  readonly accept: (state: State, text: string) => State;
  /** Runs after each change of the text or the cursor. The prompt is then drawn by the screen, not over its last row. */
  readonly edited?: (state: State, prompt: Prompt<State>) => State;
  /** Runs after Escape. */
  readonly cancel?: (state: State) => State;
}

/** Why a prompt's text is invalid. */
export interface PromptProblem {
  readonly reason: string;
  /** One-based, in UTF-16 units; undefined if the whole text is meant. */
  readonly column: number | undefined;
}

/** An open prompt. */
export interface Prompt<State> {
  readonly kind: 'prompt';
  readonly spec: PromptSpec<State>;
  readonly draft: string;
  /** In UTF-16 units. */
  readonly cursor: number;
  /** Index into the history; undefined after an edit. */
  readonly historyIndex: number | undefined;
  /** Why Enter rejected the text; cleared by the next key. */
  readonly problem: PromptProblem | undefined;
  /** Candidates and the selected one; undefined until Tab is pressed. */
  readonly completion: (QueryCompletion & { readonly selected: number }) | undefined;
}

export interface MenuItem<State> {
  /** A character that runs the item at once. */
  readonly key?: string;
  readonly label: string;
  /** Muted, after the label. */
  readonly detail?: string;
  /** At the right edge. */
  readonly right?: string;
  readonly run: (state: State) => State;
}

/** A list of choices. */
export interface Menu<State> {
  readonly kind: 'menu';
  readonly title: string;
  readonly items: readonly MenuItem<State>[];
  /** Index into the visible items. */
  readonly selected: number;
  /** The search text; undefined in a menu where characters run items. */
  readonly search: string | undefined;
  /** A line of trusted text below the items. */
  readonly note?: string;
  /** What the selected item decides: a line of trusted text above the items. */
  readonly above?: string;
  /** What `y` does with the selected item: shown below the items. */
  readonly confirm?: string;
}

/** A yes-or-no question before an action. */
export interface Question<State> {
  readonly kind: 'question';
  /** Paragraphs; may contain text from outside. */
  readonly text: readonly string[];
  readonly yes: (state: State) => State;
}

/** A text over the whole screen: help, status, a suggestion. */
export interface Sheet<State> {
  readonly kind: 'sheet';
  readonly title: string;
  readonly lines: readonly Line[];
  /** Index of the first visible line. */
  readonly top: number;
  /** What its own keys do, in the order of the hints. Default: it has none. */
  readonly actions?: readonly MenuItem<State>[];
  /** Shown after Escape. Default: the screen. */
  readonly under?: Menu<State>;
}

/** Covers a part of the screen and takes the keys. */
export type Overlay<State> = Prompt<State> | Menu<State> | Question<State> | Sheet<State>;
