import { runBrowse } from '../../../tui/commands/browse.js';
import { createTestTerminal, type TestTerminal } from '../../helpers/terminal.js';
import { waitFor } from '../../helpers/wait-for.js';
import type { ArrayReader } from '../array-reader.js';
import type { TestLook } from './look.js';
import { SHOP_NOW_MS } from './shop-time.js';

/** A running terminal. */
export interface Walk {
  readonly terminal: TestTerminal;
  readonly reader: ArrayReader;
  /** Waits until a row contains the text, and then until the terminal polls without drawing. */
  settled(text: string | RegExp): Promise<void>;
  leave(): Promise<void>;
}

const POLL_INTERVAL_MS = 10;
/** Timeout of a text on the screen. */
const PATIENCE_MS = 4_000;
/** Clock reads plus reader calls without drawing: a few polls. */
const QUIET_CALLS = 24;

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
    nowMs: () => {
      clockReads += 1;
      return SHOP_NOW_MS;
    },
  });
  return {
    terminal,
    reader,
    async settled(text) {
      await waitFor(
        `the screen to show ${String(text)}`,
        () => {
          const rows = terminal.rows();
          if (rows.some((row) => (typeof text === 'string' ? row.includes(text) : text.test(row)))) return true;
          throw new Error(`the screen shows:\n${rows.join('\n')}`);
        },
        PATIENCE_MS,
      );
      let written = -1;
      let since = 0;
      await waitFor('the terminal to draw nothing any more', () => {
        const now = terminal.written().length;
        const passed = clockReads + reader.calls.length;
        // A preview is read only after its row has been selected for a moment.
        const isLoading = terminal.rows().some((row) => row.trimStart().startsWith('Loading…'));
        if (now !== written || stdout.writableLength > 0 || isLoading) [written, since] = [now, passed];
        return passed >= since + QUIET_CALLS;
      });
    },
    async leave() {
      signals.emit('SIGTERM');
      await exitCode;
    },
  };
}
