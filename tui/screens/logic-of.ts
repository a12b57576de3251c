import type { Visible } from '../format/visible.js';
import type { Command, KeyPlace } from '../keymap.js';
import type { Screen, StateRead, TerminalState } from '../state/terminal-state.js';
import { EVENT_LOGIC } from './event/event-logic.js';
import { EVENTS_LOGIC } from './events/events-logic.js';
import { ISSUE_LOGIC } from './issue/issue-logic.js';
import { ISSUES_LOGIC } from './issues/issues-logic.js';
import type { ScreenLogic } from './screen-logic.js';

/** The logic of one screen. */
export interface BoundLogic {
  readonly place: KeyPlace;
  run(state: TerminalState, command: Command): TerminalState;
  missing(state: TerminalState): readonly StateRead[];
  polled(state: TerminalState): readonly StateRead[];
  fit(state: TerminalState, before: TerminalState): Screen;
  click(state: TerminalState, row: number): TerminalState;
  isOffered(state: TerminalState, command: Command): boolean;
  position(state: TerminalState): Visible;
}

/** The logic of a screen's kind, bound to the screen. */
export function logicOf(screen: Screen): BoundLogic {
  switch (screen.kind) {
    case 'issues':
      return bind(ISSUES_LOGIC, screen);
    case 'issue':
      return bind(ISSUE_LOGIC, screen);
    case 'event':
      return bind(EVENT_LOGIC, screen);
    case 'events':
      return bind(EVENTS_LOGIC, screen);
  }
}

function bind<S extends Screen>(logic: ScreenLogic<S>, screen: S): BoundLogic {
  return {
    place: logic.place(screen),
    run: (state, command) => logic.run(state, screen, command),
    missing: (state) => logic.missing(state, screen),
    polled: (state) => logic.polled(state, screen),
    fit: (state, before) => logic.fit(state, screen, before),
    click: (state, row) => logic.click?.(state, screen, row) ?? state,
    isOffered: (state, command) => logic.isOffered?.(state, screen, command) ?? true,
    position: (state) => logic.position(state, screen),
  };
}
