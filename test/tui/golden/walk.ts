import { runBrowse } from '../../../tui/commands/browse.js';
import { createTestTerminal, type TestTerminal } from '../../helpers/terminal.js';
import { waitFor } from '../../helpers/wait-for.js';
import type { ArrayReader } from '../array-reader.js';
import type { TestLook } from './look.js';
import { SHOP_NOW_MS } from './shop-time.js';

/** A terminal that somebody walks through, and which can be waited for. */
export interface Walk {
  readonly terminal: TestTerminal;
  readonly reader: ArrayReader;
  /** Waits until a row shows a text, and then until the terminal asks and asks and draws nothing any more. */
  settled(text: string | RegExp): Promise<void>;
  leave(): Promise<void>;
}

const POLL_INTERVAL_MS = 10;
/** How long something may take to be shown. */
const PATIENCE_MS = 4_000;
/** Looks at the clock and calls of the reader without anything being drawn: some polls. */
const QUIET = 24;

/** Opens the terminal over a reader, always at the same moment. */
export function startWalk(reader: ArrayReader, { columns, rows, env, preferences }: TestLook): Walk {
  const terminal = createTestTerminal(columns, rows);
  const { input: stdin, output: stdout, signals } = terminal;
  let looks = 0;
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
      looks += 1;
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
        const passed = looks + reader.calls.length;
        if (now !== written || stdout.writableLength > 0) [written, since] = [now, passed];
        return passed >= since + QUIET;
      });
    },
    async leave() {
      signals.emit('SIGTERM');
      await exitCode;
    },
  };
}
