import { EventEmitter } from 'node:events';
import { Writable } from 'node:stream';
import xterm from '@xterm/headless';
import { rowsOf } from './screen-rows.js';
import { waitFor } from './wait-for.js';

/** A terminal without a process behind it: keys go in, bytes come out and are read back as the cells of a screen. */
export interface TestTerminal {
  readonly input: TestTerminalInput;
  readonly output: TestTerminalOutput;
  /** Stands for the process: takes listeners for signals and remembers what was killed. */
  readonly signals: EventEmitter & { killed: string[]; kill(processId: number, signal: string): void };
  type(keys: string): void;
  resize(columns: number, rows: number): void;
  /** Everything that was written, as text. */
  written(): string;
  /** The visible rows, without blanks at their ends. */
  rows(): string[];
  /** The rows once everything that was written is on the screen. */
  settled(): Promise<string[]>;
  /** Waits until a row shows a text and answers all rows. */
  see(text: string | RegExp): Promise<string[]>;
  /** Waits until no row shows a text and returns all rows. */
  seeNo(text: string | RegExp): Promise<string[]>;
  isOnAlternateScreen(): boolean;
}

class TestTerminalInput extends EventEmitter {
  readonly isTTY = true;
  isRaw = false;
  setRawMode(isRaw: boolean): void {
    this.isRaw = isRaw;
  }
  resume(): void {}
  pause(): void {}
}

class TestTerminalOutput extends Writable {
  readonly isTTY = true;
  columns: number;
  rows: number;
  text = '';
  readonly screen: xterm.Terminal;
  /** The rows as they were read last, until something is written: who waits for a text looks at them often. */
  seen: readonly string[] | undefined;
  /** While set, what is written is not taken: a slow line. */
  isStalled = false;
  #stalled: (() => void)[] = [];

  constructor(columns: number, rows: number) {
    super({ decodeStrings: false, highWaterMark: 1 });
    this.columns = columns;
    this.rows = rows;
    this.screen = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 1_000 });
  }

  override _write(text: unknown, _encoding: string, done: () => void): void {
    const take = (): void => {
      this.text += String(text);
      this.screen.write(String(text), () => {
        this.seen = undefined;
        done();
      });
    };
    if (this.isStalled) this.#stalled.push(take);
    else take();
  }

  /** Takes what was held back. */
  flow(): void {
    this.isStalled = false;
    for (const take of this.#stalled.splice(0)) take();
  }
}

/** Makes a terminal of a size. */
export function createTestTerminal(columns = 80, rows = 24): TestTerminal {
  const input = new TestTerminalInput();
  const output = new TestTerminalOutput(columns, rows);
  const killed: string[] = [];
  const signals = Object.assign(new EventEmitter(), {
    killed,
    kill: (processId: number, signal: string) => void killed.push(`${signal} ${processId}`),
  });
  const readRows = (): string[] => {
    output.seen ??= rowsOf(output.screen);
    return [...output.seen];
  };
  const shows = (text: string | RegExp): boolean =>
    readRows().some((row) => (typeof text === 'string' ? row.includes(text) : text.test(row)));
  const waitUntil = (text: string | RegExp, isShown: boolean): Promise<string[]> =>
    waitFor(`the screen ${isShown ? 'to show' : 'to stop showing'} ${String(text)}`, () => {
      if (shows(text) !== isShown) throw new Error(`the screen shows:\n${readRows().join('\n')}`);
      return readRows();
    });
  return {
    input,
    output,
    signals,
    type: (keys) => void input.emit('data', Buffer.from(keys)),
    resize(newColumns, newRows) {
      output.columns = newColumns;
      output.rows = newRows;
      output.screen.resize(newColumns, newRows);
      output.seen = undefined;
      output.emit('resize');
    },
    written: () => output.text,
    rows: readRows,
    async settled() {
      await waitFor('the terminal to take what was written', () => output.writableLength === 0);
      return readRows();
    },
    see: (text) => waitUntil(text, true),
    seeNo: (text) => waitUntil(text, false),
    isOnAlternateScreen: () => output.screen.buffer.active.type === 'alternate',
  };
}
