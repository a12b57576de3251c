import { useSyncExternalStore } from 'react';
import type { Browser } from '../browser.js';
import type { TerminalState } from '../state/terminal-state.js';

/** The browser's state; the component is drawn again when it changes. */
export function useTerminalState(browser: Browser): TerminalState {
  return useSyncExternalStore(browser.subscribe, browser.state);
}
