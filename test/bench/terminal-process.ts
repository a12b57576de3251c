import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { rowsOf } from '../helpers/screen-rows.js';

/** A window of the size that the bars of the terminal are for. */
export const WINDOW = { columns: 120, rows: 40 };

/** Ends a synchronized update: what is on the screen then is a whole frame. */
const END_UPDATE = '\u001b[?2026l';
/** The row that is selected, in every terminal measured here: where there is one there is a list. */
export const LIST = /^ ?[›❯▸>]/;

/** A whole frame as it arrived from a terminal program. */
export interface Frame {
  /** When its last byte arrived, on the clock of `performance.now()`. */
  readonly atMs: number;
  /** Bytes since the frame before. */
  readonly bytes: number;
  /** Place of the selected row on the screen, -1 without one. */
  readonly selected: number;
}

/** A program in a pseudo-terminal, and the screen that a person would see. */
export interface TerminalProcess {
  readonly pid: number;
  /** Every frame so far. */
  readonly frames: readonly Frame[];
  /** Everything that was written so far. */
  written(): string;
  rows(): string[];
  type(keys: string): void;
  /** Called for every frame from now on; returns a function that stops the calls. */
  onFrame(listener: (frame: Frame) => void): () => void;
  /** Milliseconds from spawn to the bytes that made the screen show a text, which was within ten seconds. */
  shows(text: RegExp): Promise<number>;
  /** Ends it at once and waits until it is gone. */
  end(): Promise<void>;
}

/** Place of the selected row, -1 without one. */
export function selectedRow(rows: readonly string[]): number {
  return rows.findIndex((row) => LIST.test(row));
}

/** An empty screen of the window's size. */
export function createScreen(): xterm.Terminal {
  return new xterm.Terminal({ cols: WINDOW.columns, rows: WINDOW.rows, allowProposedApi: true, scrollback: 0 });
}

/** Starts Node with some arguments in a pseudo-terminal. */
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
  const endWithUs = (): void => program.kill('SIGKILL');
  process.once('exit', endWithUs);
  const ended = new Promise<void>((resolve) => program.onExit(() => resolve()));
  void ended.then(() => process.off('exit', endWithUs));
  const screen = createScreen();
  const frames: Frame[] = [];
  const frameListeners = new Set<(frame: Frame) => void>();
  const partListeners = new Set<(atMs: number) => void>();
  let written = '';
  let unframed = '';

  program.onData((data) => {
    const atMs = performance.now();
    written += data;
    const parts = (unframed + data).split(END_UPDATE);
    const isShown = unframed.length;
    unframed = parts.pop() ?? '';
    for (const [index, part] of parts.entries()) {
      const whole = part + END_UPDATE;
      const bytes = Buffer.byteLength(whole);
      screen.write(index === 0 ? whole.slice(isShown) : whole, () => {
        const frame = { atMs, bytes, selected: selectedRow(rowsOf(screen)) };
        frames.push(frame);
        for (const listener of frameListeners) listener(frame);
      });
    }
    screen.write(parts.length === 0 ? unframed.slice(isShown) : unframed, () => {
      for (const listener of partListeners) listener(atMs);
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
        const look = (atMs: number): void => {
          if (!rowsOf(screen).some((row) => text.test(row))) return;
          clearTimeout(timer);
          partListeners.delete(look);
          resolve(atMs - began);
        };
        partListeners.add(look);
        look(performance.now());
      }),
    async end() {
      process.kill(program.pid, 'SIGKILL');
      await ended;
    },
  };
}
