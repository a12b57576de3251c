import type { Fault } from '../../core/event/fault.js';
import type { Connection } from '../../core/merged/connection.js';
import type { SourceState } from '../../core/merged/source.js';
import type { Access, Stats } from '../../generated/reader-answers.js';
import { EMPTY_MEMORY, type SessionMemory } from '../preferences/session-memory.js';
import { DEFAULT_KEYMAP, type Keymap } from '../terminal/keymap.js';
import type { EffectContext } from './effect-context.js';
import type { EventScreen } from './event-state.js';
import type { IssueScreen } from './issue-state.js';
import { type IssuesScreen, openIssues } from './issues-state.js';
import type { Overlay } from './overlay.js';
import type { EventsScreen, RejectedScreen, ReleasesScreen, StatusScreen } from './status-state.js';
import type { UndoStack } from './undo-stack.js';

export type Screen =
  | IssuesScreen
  | IssueScreen
  | EventScreen
  | EventsScreen
  | StatusScreen
  | RejectedScreen
  | ReleasesScreen;

/** Cells of the terminal. */
export interface WindowSize {
  readonly columns: number;
  readonly rows: number;
}

/** One sentence in the last row, shown until the next key. */
export interface Notice {
  /** May hold text from outside. */
  readonly text: string;
  readonly tone: 'good' | 'info' | 'error';
}

/** How the user wants the terminal to look. */
export interface DisplayPreferences {
  readonly time: 'utc' | 'local';
  readonly characters: 'unicode' | 'ascii';
  /** Words instead of signs and bars, and a visible cursor. */
  readonly isForScreenReader: boolean;
  readonly mouse: boolean;
}

/** The whole model of the terminal; members are absent until loaded unless they say otherwise. */
export interface TerminalState {
  readonly size: WindowSize;
  /** Reference of all ages, in milliseconds since the epoch. */
  readonly nowMs: number;
  /** Time of the last key, in milliseconds since the epoch; 0 before the first. */
  readonly keyAtMs: number;
  /** The visible screen is the last one. */
  readonly stack: readonly [IssuesScreen, ...Screen[]];
  /** Takes the keys when set. */
  readonly overlay: Overlay<TerminalState> | undefined;
  readonly notice?: Notice | undefined;
  readonly connection: Connection;
  readonly stats?: Stats | undefined;
  /** Empty until loaded. */
  readonly sources: readonly SourceState[];
  /** Loaded issues that only lost sources have, with the names of these; empty for a single source. */
  readonly stale: ReadonlyMap<string, string>;
  /** Undefined until loaded, which counts as read-only. */
  readonly access?: Access | undefined;
  readonly keymap: Keymap;
  readonly habits: DisplayPreferences;
  /** Saved from one run to the next. */
  readonly memory: SessionMemory;
  readonly undoStack: UndoStack;
  /** Oldest first; the run loop takes them out. */
  readonly pendingEffects: readonly StateEffect[];
  readonly nextKey: number;
  /** True once the user has quit. */
  readonly isOver: boolean;
}

/** A transition of the state. */
export type StateChange = (state: TerminalState) => TerminalState;

/** A read that a screen needs. */
export interface StateRead {
  /** Identity of the read: while one is in flight, a second one of the same name is not started. */
  readonly name: string;
  /** Starts this many milliseconds after it was first wanted; another `version` starts the time again. Absent: at once. */
  readonly delay?: { readonly ms: number; readonly version: string };
  /** Returns the change to apply; the state, and even the visible screen, may be another one by then. */
  perform(reader: EffectContext['reader']): Promise<StateChange>;
  /** The change after a fault; undefined or absent: the connection counts as lost. */
  onFault?(fault: Fault): StateChange | undefined;
}

/** A side effect: an action, a copy, a file. Effects run one after the other, in the order of their requests. */
export interface StateEffect {
  /** Returns the change to apply; a fault is shown as a notice. */
  perform(context: EffectContext): Promise<StateChange>;
}

/** The initial size, time, keys and memory. */
export interface StartOptions {
  readonly size: WindowSize;
  readonly nowMs: number;
  readonly keymap?: Keymap;
  readonly habits?: DisplayPreferences;
  readonly memory?: SessionMemory;
  /** For `mine`; the environment may have none. */
  readonly userName?: string | undefined;
  /** Restores the list of the last run. */
  readonly resume?: StateChange;
}

const DEFAULT_HABITS: DisplayPreferences = {
  time: 'utc',
  characters: 'unicode',
  isForScreenReader: false,
  mouse: false,
};

/** The state before anything is loaded. */
export function initialState({ size, nowMs, keymap, habits, memory, userName, resume }: StartOptions): TerminalState {
  const state: TerminalState = {
    size,
    nowMs,
    keyAtMs: 0,
    stack: [openIssues(0, userName)],
    overlay: undefined,
    connection: { kind: 'connecting' },
    sources: [],
    stale: new Map(),
    keymap: keymap ?? DEFAULT_KEYMAP,
    habits: habits ?? DEFAULT_HABITS,
    memory: memory ?? EMPTY_MEMORY,
    undoStack: [],
    pendingEffects: [],
    nextKey: 1,
    isOver: false,
  };
  return resume?.(state) ?? state;
}

/** The visible screen. */
export function topScreen(state: TerminalState): Screen {
  return state.stack.at(-1) ?? state.stack[0];
}

/** Replaces the visible screen. */
export function withTop(state: TerminalState, top: Screen): TerminalState {
  if (top === topScreen(state)) return state;
  const [first, ...above] = state.stack;
  if (above.length === 0) return top.kind === 'issues' ? { ...state, stack: [top] } : state;
  return { ...state, stack: [first, ...above.slice(0, -1), top] };
}

/** Changes the screen with a key, anywhere in the stack; returns the same state if it was closed. */
export function withScreen(state: TerminalState, key: number, change: (screen: Screen) => Screen): TerminalState {
  const [first, ...above] = state.stack;
  const bottom = first.key === key ? change(first) : first;
  if (bottom.kind !== 'issues') return state;
  let isChanged = bottom !== first;
  const changed = above.map((screen) => {
    const now = screen.key === key ? change(screen) : screen;
    isChanged ||= now !== screen;
    return now;
  });
  return isChanged ? { ...state, stack: [bottom, ...changed] } : state;
}

/** A transition of the screen of a kind and key, anywhere in the stack; none if it was closed. */
export function changeScreen<Kind extends Screen['kind']>(
  kind: Kind,
  key: number,
  change: (screen: Extract<Screen, { kind: Kind }>, state: TerminalState) => Screen,
): StateChange {
  const isOfKind = (screen: Screen): screen is Extract<Screen, { kind: Kind }> => screen.kind === kind;
  return (state) => withScreen(state, key, (screen) => (isOfKind(screen) ? change(screen, state) : screen));
}

/** Opens a screen on top of the stack. */
export function pushScreen(state: TerminalState, make: (key: number) => Screen): TerminalState {
  return { ...state, stack: [...state.stack, make(state.nextKey)], nextKey: state.nextKey + 1 };
}

/** Queues an effect. */
export function withEffect(state: TerminalState, effect: StateEffect): TerminalState {
  return { ...state, pendingEffects: [...state.pendingEffects, effect] };
}

/** Shows a sentence in the last row; the default tone is `info`. */
export function withNotice(state: TerminalState, text: string, tone: Notice['tone'] = 'info'): TerminalState {
  return { ...state, notice: { text, tone } };
}

/** Closes the visible screen; the list of issues stays. */
export function popScreen(state: TerminalState): TerminalState {
  const [first, ...above] = state.stack;
  return above.length === 0 ? state : { ...state, stack: [first, ...above.slice(0, -1)] };
}
