import type { Fault } from '../../core/event/fault.js';
import type { Access, Stats } from '../../generated/reader-answers.js';
import { EMPTY_MEMORY, type SessionMemory } from '../preferences/session-memory.js';
import type { Connection } from '../readers/connection.js';
import type { SourceState } from '../readers/source.js';
import { DEFAULT_KEYMAP, type Keymap } from '../terminal/keymap.js';
import type { Outside } from './effect-context.js';
import type { EventScreen } from './event-state.js';
import type { EventsScreen } from './events-state.js';
import type { IssueScreen } from './issue-state.js';
import { type IssuesScreen, openIssues } from './issues-state.js';
import type { Overlay } from './overlay.js';
import { EMPTY_UNDO_STACK, type UndoStack } from './undo-stack.js';

export type Screen = IssuesScreen | IssueScreen | EventScreen | EventsScreen;

/** Cells of the terminal. */
export interface WindowSize {
  readonly columns: number;
  readonly rows: number;
}

/** One sentence about what was done, until the next key. */
export interface Notice {
  /** May hold text from outside. */
  readonly text: string;
  readonly tone: 'good' | 'info' | 'error';
}

/** How a person wants it. */
export interface Habits {
  readonly time: 'utc' | 'local';
  readonly characters: 'unicode' | 'ascii';
  /** Words instead of signs and bars, and a cursor where one is. */
  readonly isForScreenReader: boolean;
  readonly mouse: boolean;
}

/** Everything that the terminal shows. */
export interface TerminalState {
  readonly size: WindowSize;
  /** The time against which ages are told, milliseconds since the epoch. */
  readonly nowMs: number;
  /** The visible screen is the last one. */
  readonly stack: readonly [IssuesScreen, ...Screen[]];
  /** Undefined while the screen itself takes the keys. */
  readonly overlay: Overlay<TerminalState> | undefined;
  readonly notice: Notice | undefined;
  readonly connection: Connection;
  /** Undefined until they are read. */
  readonly stats: Stats | undefined;
  /** How each source is doing; empty until it is read. */
  readonly sources: readonly SourceState[];
  /** What the person may do; undefined until it is read, which counts as reading only. */
  readonly access: Access | undefined;
  readonly keymap: Keymap;
  readonly habits: Habits;
  /** What is remembered from one run to the next. */
  readonly memory: SessionMemory;
  /** What was done to issues in this run. */
  readonly undoStack: UndoStack;
  /** What is to be done outside, oldest first; the run loop empties the list. */
  readonly pendingEffects: readonly StateEffect[];
  /** The key of the next screen. */
  readonly nextKey: number;
  /** True once the person asked to leave. */
  readonly isOver: boolean;
}

/** What becomes of the state. */
export type StateChange = (state: TerminalState) => TerminalState;

/** One thing that is read for what is on the screen. */
export interface StateRead {
  /** Names what is read for which screen: a second one of the same name is not started while the first is on its way. */
  readonly name: string;
  /** Answers what the reading changes; the state may have changed meanwhile, also to another screen. */
  perform(reader: Outside['reader']): Promise<StateChange>;
  /** What a fault changes; undefined, as where this is absent, means that the connection is lost. */
  onFault?(fault: Fault): StateChange | undefined;
}

/** One thing that is done outside of the screen: an action, a copy, a file. They are done one after the other, in the order in which they were asked for. */
export interface StateEffect {
  /** Answers what it changes. A fault is shown to the person. */
  perform(outside: Outside): Promise<StateChange>;
}

/** What a terminal begins with. */
export interface StartOptions {
  readonly size: WindowSize;
  readonly nowMs: number;
  readonly keymap?: Keymap;
  readonly habits?: Habits;
  readonly memory?: SessionMemory;
  /** Leads to where one was the last time. */
  readonly resume?: StateChange;
}

const DEFAULT_HABITS: Habits = { time: 'utc', characters: 'unicode', isForScreenReader: false, mouse: false };

/** The state before anything was read. */
export function initialState({ size, nowMs, keymap, habits, memory, resume }: StartOptions): TerminalState {
  const state: TerminalState = {
    size,
    nowMs,
    stack: [openIssues(0)],
    overlay: undefined,
    notice: undefined,
    connection: { kind: 'connecting' },
    stats: undefined,
    sources: [],
    access: undefined,
    keymap: keymap ?? DEFAULT_KEYMAP,
    habits: habits ?? DEFAULT_HABITS,
    memory: memory ?? EMPTY_MEMORY,
    undoStack: EMPTY_UNDO_STACK,
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

/** The state with its visible screen changed. */
export function withTop(state: TerminalState, top: Screen): TerminalState {
  if (top === topScreen(state)) return state;
  const [first, ...above] = state.stack;
  if (above.length === 0) return top.kind === 'issues' ? { ...state, stack: [top] } : state;
  return { ...state, stack: [first, ...above.slice(0, -1), top] };
}

/** The state with the screen of a key changed, wherever it is; unchanged when it was left. */
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

/** The state with another screen on top, which `make` gets its key for. */
export function pushScreen(state: TerminalState, make: (key: number) => Screen): TerminalState {
  return { ...state, stack: [...state.stack, make(state.nextKey)], nextKey: state.nextKey + 1 };
}

/** The state that also asks for something to be done outside. */
export function withEffect(state: TerminalState, effect: StateEffect): TerminalState {
  return { ...state, pendingEffects: [...state.pendingEffects, effect] };
}

/** The state that tells something in its last row. */
export function withNotice(state: TerminalState, text: string, tone: Notice['tone'] = 'info'): TerminalState {
  return { ...state, notice: { text, tone } };
}

/** The state without its visible screen; the list of issues stays. */
export function popScreen(state: TerminalState): TerminalState {
  const [first, ...above] = state.stack;
  return above.length === 0 ? state : { ...state, stack: [first, ...above.slice(0, -1)] };
}
