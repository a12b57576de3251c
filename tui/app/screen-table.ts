import { EVENT_LOGIC } from '../screens/event/event-logic.js';
import { ISSUE_LOGIC } from '../screens/issue/issue-logic.js';
import { EVENTS_LOGIC } from '../screens/lists/events-logic.js';
import { ISSUES_LOGIC } from '../screens/lists/issues-logic.js';
import { REJECTED_LOGIC } from '../screens/status/rejected-logic.js';
import { RELEASES_LOGIC } from '../screens/status/releases-logic.js';
import { STATUS_LOGIC } from '../screens/status/status-logic.js';
import type { ScreenLogic } from '../state/screen-logic.js';
import type { Screen, TerminalState } from '../state/terminal-state.js';
import type { Command } from '../terminal/keymap.js';

/** Returns the logic of a screen, bound to it. */
export function logicOf(screen: Screen) {
  switch (screen.kind) {
    case 'issues':
      return bind(ISSUES_LOGIC, screen);
    case 'issue':
      return bind(ISSUE_LOGIC, screen);
    case 'event':
      return bind(EVENT_LOGIC, screen);
    case 'events':
      return bind(EVENTS_LOGIC, screen);
    case 'status':
      return bind(STATUS_LOGIC, screen);
    case 'rejected':
      return bind(REJECTED_LOGIC, screen);
    case 'releases':
      return bind(RELEASES_LOGIC, screen);
  }
}

function bind<S extends Screen>(logic: ScreenLogic<S>, screen: S) {
  return {
    keyScope: logic.keyScope(screen),
    run: (state: TerminalState, command: Command) => logic.run(state, screen, command),
    missing: (state: TerminalState) => logic.missing(state, screen),
    polled: (state: TerminalState) => logic.polled(state, screen),
    fit: (state: TerminalState, before: TerminalState): Screen => logic.fit(state, screen, before),
    click: (state: TerminalState, row: number) => logic.click?.(state, screen, row) ?? state,
    isOffered: (state: TerminalState, command: Command) => logic.isOffered?.(state, screen, command) ?? true,
    position: (state: TerminalState) => logic.position(state, screen),
    draw: (state: TerminalState) => logic.draw(state, screen),
  };
}
