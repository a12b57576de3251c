import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type IPty, spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { FAULTLINE } from './faultline-process.js';
import { rowsOf } from './screen-rows.js';
import { SeenBeforeTyped, type ShownText, showsText } from './seen-before-typed.js';
import { waitFor } from './wait-for.js';

/** A command in a real pseudo-terminal, with its screen. */
export interface PseudoTerminal {
  readonly process: IPty;
  /** All bytes that the program wrote, as text. */
  output(): string;
  /** The rows of the screen, without trailing blanks. */
  rows(): string[];
  /** Types keys on the screen that was seen last. Throws if none was seen since the last keys. */
  type(keys: string): void;
  /** Types keys whatever the screen shows. */
  typeAhead(keys: string): void;
  resize(columns: number, rows: number): void;
  /** Waits until a row shows a text and returns the rows. After keys, the text must be one that they bring. */
  see(text: ShownText): Promise<string[]>;
  /** Resolves when the program exits. */
  readonly exit: Promise<{ exitCode: number; signal?: number | undefined }>;
}

const opened = new Set<IPty>();
// Also if a run is interrupted.
process.once('exit', killLeftoverTerminals);

/** For `afterAll`: kills the programs of a failed test. */
export function killLeftoverTerminals(): void {
  for (const program of opened) program.kill('SIGKILL');
}

/** Runs `faultline ARGS` in a pseudo-terminal. */
export function openPseudoTerminal(
  args: readonly string[],
  options: { columns?: number; rows?: number; env?: Record<string, string>; cwd?: string } = {},
): PseudoTerminal {
  const columns = options.columns ?? 80;
  const height = options.rows ?? 24;
  const screen = new xterm.Terminal({ cols: columns, rows: height, allowProposedApi: true, scrollback: 1000 });
  // Tests must neither read nor write the preferences and sessions of the user.
  const home = mkdtempSync(join(tmpdir(), 'faultline-test-home-'));
  const own = { HOME: home, XDG_CONFIG_HOME: join(home, 'config'), XDG_STATE_HOME: join(home, 'state') };
  const env = Object.fromEntries(
    Object.entries({ ...process.env, ...own, ...options.env }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    ),
  );
  delete env['NODE_OPTIONS'];
  const program = spawn(process.execPath, [FAULTLINE, ...args], {
    name: 'xterm-256color',
    cols: columns,
    rows: height,
    cwd: options.cwd ?? process.cwd(),
    env,
  });
  opened.add(program);
  program.onExit(() => {
    opened.delete(program);
    rmSync(home, { recursive: true, force: true });
  });
  let written = '';
  program.onData((data) => {
    written += data;
    screen.write(data);
  });
  const rows = (): string[] => rowsOf(screen);
  const keys = new SeenBeforeTyped();
  return {
    process: program,
    output: () => written,
    rows,
    type(typed) {
      keys.type(typed, rows());
      program.write(typed);
    },
    typeAhead: (typed) => program.write(typed),
    resize: (newColumns, newRows) => {
      screen.resize(newColumns, newRows);
      program.resize(newColumns, newRows);
    },
    async see(text) {
      const what = `the screen to show ${String(text)}`;
      keys.expectNew(what, (before) => showsText(before, text));
      const seen = await waitFor(what, () => {
        if (!showsText(rows(), text)) throw new Error(`the screen shows:\n${rows().join('\n')}`);
        return rows();
      });
      keys.seen();
      return seen;
    },
    exit: new Promise((resolve) => {
      program.onExit((result) => resolve(result));
    }),
  };
}
