import type { QueryCompletion } from '../../core/query/complete-query.js';
import type { Line } from '../text/line.js';

/** What is asked in a line of text, and what becomes of the answer. */
export interface PromptSpec<State> {
  /** Stands before the text: `/`, `assign to:`. */
  readonly label: string;
  /** Earlier answers, the latest last; Up and Down go through them. */
  readonly history?: readonly string[];
  /** What may stand at a cursor; Tab takes it. `state` is the state as it is then. */
  readonly complete?: (state: State, text: string, cursor: number) => QueryCompletion;
  /** Why a text cannot be taken; undefined where it can. `column` is one-based, in UTF-16 units; undefined where it is no matter of a place. */
  readonly check?: (text: string) => PromptProblem | undefined;
  /** What the text would do, said while it is typed. */
  readonly hint?: (state: State, text: string) => string;
  readonly accept: (state: State, text: string) => State;
  /** After Escape; default: nothing but the prompt goes. */
  readonly cancel?: (state: State) => State;
}

/** Why a prompt's text cannot be taken. */
export interface PromptProblem {
  readonly reason: string;
  readonly column: number | undefined;
}

/** A line of text while it is being typed. */
export interface Prompt<State> {
  readonly kind: 'prompt';
  readonly spec: PromptSpec<State>;
  readonly draft: string;
  /** In UTF-16 units. */
  readonly cursor: number;
  /** Index into the history; undefined while something of its own is typed. */
  readonly historyIndex: number | undefined;
  /** Why Enter did not take it; undefined after the next key. */
  readonly problem: PromptProblem | undefined;
  /** What may stand at the cursor, and which of it Tab takes next; undefined until Tab was pressed. */
  readonly completion: (QueryCompletion & { readonly selected: number }) | undefined;
}

/** One choice of a menu. */
export interface MenuItem<State> {
  /** A single character that takes it at once; absent: only by moving to it. */
  readonly key?: string;
  readonly label: string;
  /** More about it, in muted words. */
  readonly detail?: string;
  readonly run: (state: State) => State;
}

/** A choice between a few things, or with `search` between many. */
export interface Menu<State> {
  readonly kind: 'menu';
  readonly title: string;
  readonly items: readonly MenuItem<State>[];
  /** Index into the items that are shown. */
  readonly selected: number;
  /** What is looked for; undefined in a menu where characters choose at once. */
  readonly search: string | undefined;
  /** One line of our own words below the items; absent: none. */
  readonly note?: string;
}

/** A question before something is done to many, or cannot be taken back easily. */
export interface Question<State> {
  readonly kind: 'question';
  /** What will happen; may hold text from outside. */
  readonly text: readonly string[];
  readonly yes: (state: State) => State;
}

/** A text over the whole screen: the keys, the sources. */
export interface Sheet {
  readonly kind: 'sheet';
  readonly title: string;
  readonly lines: readonly Line[];
  /** Index of the first visible line. */
  readonly top: number;
}

/** What lies over the screen and takes the keys. */
export type Overlay<State> = Prompt<State> | Menu<State> | Question<State> | Sheet;
