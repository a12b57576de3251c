import type { EventId, IssueId } from '../../core/event/ids.js';
import type { EventSummary, IssueSort, IssueSummary, Stats } from '../../core/reader.js';
import type { Connection } from './connection.js';
import { EMPTY_LIST, type PagedList } from './paged-list.js';
import type { Pager, PagerPosition } from './pager.js';
import type { Prompt } from './prompt.js';

/** Which issues a list holds, in which order. */
export interface IssueSource {
  /** Query text; empty matches everything. */
  readonly query: string;
  readonly sort: IssueSort;
}

/** The list of issues, which is always at the bottom of the stack. */
export interface IssuesScreen {
  readonly kind: 'issues';
  /** Tells the answers for this screen from those for one that was left. */
  readonly key: number;
  readonly list: PagedList<IssueSummary>;
  /** What the person asked for. */
  readonly wanted: IssueSource;
  /** What the rows were read with; undefined before the first answer. */
  readonly shown: IssueSource | undefined;
  /** Issues that match, loaded or not. */
  readonly total: number;
  /** Undefined while no filter is being typed. */
  readonly prompt: Prompt | undefined;
}

/** The events of one issue. */
export interface EventsScreen {
  readonly kind: 'events';
  readonly key: number;
  /** As it was in the list, then as it is read again. */
  readonly issue: IssueSummary;
  readonly list: PagedList<EventSummary>;
  /** `gone`: the store does not have the issue any more. */
  readonly reading: 'loading' | 'loaded' | 'gone';
}

/** One event in full. */
export interface EventScreen {
  readonly kind: 'event';
  readonly key: number;
  readonly issueId: IssueId;
  readonly eventId: EventId;
  /** Undefined until the event is read. */
  readonly pager: Pager | undefined;
  readonly position: PagerPosition;
  readonly isGone: boolean;
}

export type Screen = IssuesScreen | EventsScreen | EventScreen;

/** Cells of the terminal. */
export interface WindowSize {
  readonly columns: number;
  readonly rows: number;
}

/** Everything that the terminal shows. */
export interface TerminalState {
  readonly size: WindowSize;
  /** The time against which ages are told, milliseconds since the epoch. */
  readonly nowMs: number;
  /** The visible screen is the last one. */
  readonly stack: readonly [IssuesScreen, ...Screen[]];
  readonly isHelpOpen: boolean;
  readonly connection: Connection;
  /** Undefined until they are read. */
  readonly stats: Stats | undefined;
  /** The key of the next screen. */
  readonly nextKey: number;
  /** True once the person asked to leave. */
  readonly isOver: boolean;
}

/** The state before anything was read. */
export function initialState(size: WindowSize, nowMs: number): TerminalState {
  const issues: IssuesScreen = {
    kind: 'issues',
    key: 0,
    list: EMPTY_LIST,
    wanted: { query: '', sort: 'last_seen' },
    shown: undefined,
    total: 0,
    prompt: undefined,
  };
  return {
    size,
    nowMs,
    stack: [issues],
    isHelpOpen: false,
    connection: { kind: 'connecting' },
    stats: undefined,
    nextKey: 1,
    isOver: false,
  };
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
  return { ...state, stack: [bottom, ...above.map((screen) => (screen.key === key ? change(screen) : screen))] };
}
