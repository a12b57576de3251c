import type { Command, KeyScope } from '../terminal/keymap.js';
import type { Line, Span } from '../text/line.js';
import type { Visible } from '../text/visible.js';
import type { Screen, StateRead, TerminalState } from './terminal-state.js';

/** A fact in the top row. */
export interface TitleFact {
  readonly text: Span;
  /** The lowest rank is left out first. */
  readonly rank: number;
}

/** What a screen shows above the last row. */
export interface Drawing {
  /** In the top row: `Issues`. */
  readonly path: string;
  readonly facts?: readonly TitleFact[];
  /** The rows below; those without room are left out. */
  readonly lines: readonly Line[];
}

/** The pure logic of a kind of screen, so that keys typed ahead act on the state they will find. `screen` is the visible one of `state`. */
export interface ScreenLogic<S extends Screen> {
  keyScope(screen: S): KeyScope;
  /** Runs a command that `update.ts` does not handle itself; returns the same state if it means nothing here. */
  run(state: TerminalState, screen: S, command: Command): TerminalState;
  /** Reads to start at once. */
  missing(state: TerminalState, screen: S): readonly StateRead[];
  /** Reads to start with every poll. */
  polled(state: TerminalState, screen: S): readonly StateRead[];
  /** Adapts the screen to the window of `state`; the selection stays visible. `before` is the state with the former window. */
  fit(state: TerminalState, screen: S, before: TerminalState): S;
  /** Handles a mouse press on a zero-based row; absent: ignored. */
  click?(state: TerminalState, screen: S, row: number): TerminalState;
  /** Whether the hints list a command, that is, whether it would do something. Default: all. Keys work anyway. */
  isOffered?(state: TerminalState, screen: S, command: Command): boolean;
  /** The position in the list or text, for the last row. */
  position(state: TerminalState, screen: S): Visible;
  draw(state: TerminalState, screen: S): Drawing;
}
