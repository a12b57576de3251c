import { Fault } from '../../../../core/event/fault.js';
import { logicOf } from '../../../../tui/app/screen-table.js';
import { type StateRead, type TerminalState, topScreen } from '../../../../tui/state/terminal-state.js';

type Reader = Parameters<StateRead['perform']>[0];

/** Reads until the visible screen needs nothing more, as the browser does. */
export async function readMissing(reader: Reader, state: TerminalState): Promise<TerminalState> {
  let read = state;
  for (let round = 0; round < 100; round += 1) {
    const missing = logicOf(topScreen(read)).missing(read);
    if (missing.length === 0) return read;
    read = await perform(reader, read, missing);
  }
  throw new Error('there is always something missing');
}

/** Reads what is polled, then what is missing. */
export async function poll(reader: Reader, state: TerminalState): Promise<TerminalState> {
  const polled = await perform(reader, state, logicOf(topScreen(state)).polled(state));
  return readMissing(reader, polled);
}

async function perform(reader: Reader, state: TerminalState, reads: readonly StateRead[]): Promise<TerminalState> {
  let changed = state;
  for (const one of reads) {
    try {
      const change = await one.perform(reader);
      changed = change(changed);
    } catch (error) {
      const change = error instanceof Fault ? one.onFault?.(error) : undefined;
      if (change === undefined) throw error;
      changed = change(changed);
    }
  }
  return changed;
}
