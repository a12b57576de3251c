import { runBrowse } from '../../../tui/commands/browse.js';
import { createTestTerminal, type TestTerminal } from '../../helpers/terminal.js';
import type { ArrayReader } from '../array-reader.js';
import type { TestLook } from './look.js';
import { SHOP_NOW_MS } from './shop-time.js';

/** A running terminal. */
export interface Walk {
  readonly terminal: TestTerminal;
  readonly reader: ArrayReader;
  /** Grows with each poll of the terminal. */
  polls(): number;
  leave(): Promise<void>;
}

const POLL_INTERVAL_MS = 10;

/** Opens the terminal on a reader at a fixed time. */
export function startWalk(reader: ArrayReader, { columns, rows, env, preferences }: TestLook): Walk {
  const terminal = createTestTerminal(columns, rows);
  const { input: stdin, output: stdout, signals } = terminal;
  let clockReads = 0;
  const exitCode = runBrowse({
    openReader: async () => reader,
    env: { ...env },
    stdin,
    stdout,
    stderr: stdout,
    signals,
    preferences,
    pollIntervalMs: POLL_INTERVAL_MS,
    nowMs() {
      clockReads += 1;
      return SHOP_NOW_MS;
    },
  });
  return {
    terminal,
    reader,
    // Without a collector a poll only reads the clock; for a screen reader it does not read it.
    polls: () => clockReads + reader.calls.length,
    async leave() {
      signals.emit('SIGTERM');
      await exitCode;
    },
  };
}
