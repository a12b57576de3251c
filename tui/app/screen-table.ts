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

/** Each logic gets only screens of its kind. */
const LOGICS: Readonly<Record<Screen['kind'], ScreenLogic<Screen>>> = {
  issues: ISSUES_LOGIC,
  issue: ISSUE_LOGIC,
  event: EVENT_LOGIC,
  events: EVENTS_LOGIC,
  status: STATUS_LOGIC,
  rejected: REJECTED_LOGIC,
  releases: RELEASES_LOGIC,
};

/** Returns the logic of a screen, bound to it. */
export function logicOf(screen: Screen) {
  const logic = LOGICS[screen.kind];
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
