import type { Command, KeyScope } from '../terminal/keymap.js';
import type { Visible } from '../text/visible.js';
import type { Screen, StateRead, TerminalState } from './terminal-state.js';

/** What a kind of screen does: pure, so that keys typed ahead of the screen act on what they will find there. `screen` is the visible one of `state`. */
export interface ScreenLogic<S extends Screen> {
  /** Where its keys work. */
  keyScope(screen: S): KeyScope;
  /** The state after a command that `route.ts` does not answer itself; the same state where it means nothing here. */
  run(state: TerminalState, screen: S, command: Command): TerminalState;
  /** What it lacks and cannot wait for. */
  missing(state: TerminalState, screen: S): readonly StateRead[];
  /** What is read again every time that the collector is polled. */
  polled(state: TerminalState, screen: S): readonly StateRead[];
  /** The screen in the window of `state`, after it was seen in that of `before`, or was covered: selections stay visible. */
  fit(state: TerminalState, screen: S, before: TerminalState): S;
  /** The state after a press of the mouse on a row of the screen, counted from zero; absent: nothing happens. */
  click?(state: TerminalState, screen: S, row: number): TerminalState;
  /** Whether the row at the bottom offers a command just now: whether it would do something. Keys work all the same. Absent: all are offered. */
  isOffered?(state: TerminalState, screen: S, command: Command): boolean;
  /** Where in its list or text one is, for the row at the bottom. */
  position(state: TerminalState, screen: S): Visible;
}
