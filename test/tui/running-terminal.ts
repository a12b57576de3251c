import type { BrowseOptions } from '../../tui/commands/browse.js';
import { runBrowse } from '../../tui/commands/browse.js';
import { createTestTerminal, type TestTerminal } from '../helpers/terminal.js';
import type { ArrayReader } from './array-reader.js';

export interface RunningTerminal {
  readonly terminal: TestTerminal;
  readonly exitCode: Promise<number>;
}

type Options = Partial<
  Pick<BrowseOptions, 'env' | 'isFresh' | 'pollIntervalMs' | 'preferences' | 'rememberAs' | 'start'>
> & {
  columns?: number;
  rows?: number;
};

const running: RunningTerminal[] = [];

/** Runs the terminal in a window. */
export function browse(reader: ArrayReader, { columns, rows, ...options }: Options = {}): RunningTerminal {
  const terminal = createTestTerminal(columns, rows);
  const { input: stdin, output: stdout, signals } = terminal;
  const streams = { stdin, stdout, stderr: stdout, signals };
  const exitCode = runBrowse({ openReader: async () => reader, env: {}, ...streams, pollIntervalMs: 20, ...options });
  const run = { terminal, exitCode };
  running.push(run);
  return run;
}

/** Call in `afterEach`: ends terminals that still run. */
export async function endTerminals(): Promise<void> {
  for (const { terminal, exitCode } of running.splice(0)) {
    terminal.signals.emit('SIGTERM');
    await exitCode;
  }
}
