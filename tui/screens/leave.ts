import type { TerminalState } from '../state/terminal-state.js';

/** The state without its visible screen; the list of issues stays. */
export function leave(state: TerminalState): TerminalState {
  const [first, ...above] = state.stack;
  return above.length === 0 ? state : { ...state, stack: [first, ...above.slice(0, -1)] };
}
