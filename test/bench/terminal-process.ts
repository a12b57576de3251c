import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { rowsOf } from '../helpers/screen-rows.js';

/** The window size of the targets of the terminal. */
export const WINDOW = { columns: 120, rows: 40 };

/** The end of a synchronized update, after which the screen shows a complete frame. */
const END_UPDATE = '\u001b[?2026l';
/** Matches the selected row of the measured programs, which shows that a list is visible. */
export const LIST = /^ ?[›❯▸>]/;

/** A complete frame of a terminal program. */
export interface Frame {
  /** Time of its last byte, by `performance.now()`. */
  readonly atMs: number;
  /** Bytes since the previous frame. */
  readonly bytes: number;
  /** Index of the selected row on the screen; -1 without one. */
  readonly selected: number;
}

/** A program in a pseudo-terminal, with its screen. */
export interface TerminalProcess {
  readonly pid: number;
  /** Every frame so far. */
  readonly frames: readonly Frame[];
  /** All output so far. */
  written(): string;
  rows(): string[];
  type(keys: string): void;
  /** Calls a listener for every later frame; returns a function that removes it. */
  onFrame(listener: (frame: Frame) => void): () => void;
  /** Resolves to the milliseconds from spawn until the screen shows a text; rejects after ten seconds. */
  shows(text: RegExp): Promise<number>;
  /** Kills the program and waits until it exits. */
  end(): Promise<void>;
}

/** Returns the index of the selected row; -1 without one. */
export function selectedRow(rows: readonly string[]): number {
  return rows.findIndex((row) => LIST.test(row));
}

/** Creates an empty screen of the window size. */
export function createScreen(): xterm.Terminal {
  return new xterm.Terminal({ cols: WINDOW.columns, rows: WINDOW.rows, allowProposedApi: true, scrollback: 0 });
}

/** Starts Node in a pseudo-terminal. */
export function startTerminalProcess(args: readonly string[]): TerminalProcess {
  const began = performance.now();
  const env = Object.entries({ ...process.env, NODE_ENV: 'production' }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[0] !== 'CI',
  );
  const { columns: cols, rows } = WINDOW;
  const program = spawn(process.execPath, [...args], {
    name: 'xterm-256color',
    cols,
    rows,
    cwd: process.cwd(),
    env: Object.fromEntries(env),
  });
  const killAtExit = (): void => program.kill('SIGKILL');
  process.once('exit', killAtExit);
  const ended = new Promise<void>((resolve) => program.onExit(() => resolve()));
  void ended.then(() => process.off('exit', killAtExit));
  const screen = createScreen();
  const frames: Frame[] = [];
  const frameListeners = new Set<(frame: Frame) => void>();
  const outputListeners = new Set<(atMs: number) => void>();
  let written = '';
  let incomplete = '';

  program.onData((data) => {
    const atMs = performance.now();
    written += data;
    const updates = (incomplete + data).split(END_UPDATE);
    const shownLength = incomplete.length;
    incomplete = updates.pop() ?? '';
    for (const [index, text] of updates.entries()) {
      const update = text + END_UPDATE;
      const bytes = Buffer.byteLength(update);
      screen.write(index === 0 ? update.slice(shownLength) : update, () => {
        const frame = { atMs, bytes, selected: selectedRow(rowsOf(screen)) };
        frames.push(frame);
        for (const listener of frameListeners) listener(frame);
      });
    }
    screen.write(updates.length === 0 ? incomplete.slice(shownLength) : incomplete, () => {
      for (const listener of outputListeners) listener(atMs);
    });
  });

  return {
    pid: program.pid,
    frames,
    written: () => written,
    rows: () => rowsOf(screen),
    type: (keys) => program.write(keys),
    onFrame(listener) {
      frameListeners.add(listener);
      return () => frameListeners.delete(listener);
    },
    shows: (text) =>
      new Promise((resolve, reject) => {
        const fail = (): void => reject(new Error(`never saw ${text}:\n${rowsOf(screen).join('\n')}`));
        const timer = setTimeout(fail, 10_000);
        const check = (atMs: number): void => {
          if (!rowsOf(screen).some((row) => text.test(row))) return;
          clearTimeout(timer);
          outputListeners.delete(check);
          resolve(atMs - began);
        };
        outputListeners.add(check);
        check(performance.now());
      }),
    async end() {
      process.kill(program.pid, 'SIGKILL');
      await ended;
    },
  };
}
