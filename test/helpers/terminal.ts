import { EventEmitter } from 'node:events';
import { Writable } from 'node:stream';
import xterm from '@xterm/headless';
import { rowsOf } from './screen-rows.js';
import { SeenBeforeTyped, type ShownText, showsText } from './seen-before-typed.js';
import { waitFor } from './wait-for.js';

/** A terminal without a process: accepts keys and shows the output on a screen. */
export interface TestTerminal {
  readonly input: TestTerminalInput;
  readonly output: TestTerminalOutput;
  /** Replaces `process`: accepts signal listeners and records calls of `kill`. */
  readonly signals: EventEmitter & { killed: string[]; kill(processId: number, signal: string): void };
  /** Types keys on the screen that was seen last. Throws if none was seen since the last keys. */
  type(keys: string): void;
  /** Types keys whatever the screen shows. */
  typeAhead(keys: string): void;
  resize(columns: number, rows: number): void;
  /** All output, as text. */
  written(): string;
  /** The visible rows, without trailing blanks. */
  rows(): string[];
  /** The rows when all output is on the screen. */
  settled(): Promise<string[]>;
  /** Waits until a row shows a text and returns all rows. After keys, the text must be one that they bring. */
  see(text: ShownText): Promise<string[]>;
  /** Waits until no row shows a text and returns all rows. After keys, the text must have been there before. */
  seeNo(text: ShownText): Promise<string[]>;
  /** Waits until the rows fulfil a condition and returns them. After keys, the condition must be a new one. */
  seeRows(what: string, fulfil: (rows: readonly string[]) => boolean): Promise<string[]>;
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
  /** The rows of the last read, until the next write: waiting for a text reads them often. */
  seen: readonly string[] | undefined;
  /** While true, writes wait, as on a slow connection. */
  isStalled = false;
  #stalled: (() => void)[] = [];

  constructor(columns: number, rows: number) {
    super({ decodeStrings: false, highWaterMark: 1 });
    this.columns = columns;
    this.rows = rows;
    this.screen = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 1_000 });
  }

  override _write(text: unknown, _encoding: string, done: () => void): void {
    const accept = (): void => {
      this.text += String(text);
      this.screen.write(String(text), () => {
        this.seen = undefined;
        done();
      });
    };
    if (this.isStalled) this.#stalled.push(accept);
    else accept();
  }

  /** Ends the stall and accepts the waiting writes. */
  flow(): void {
    this.isStalled = false;
    for (const accept of this.#stalled.splice(0)) accept();
  }
}

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
  const keys = new SeenBeforeTyped();
  const send = (typed: string): void => void input.emit('data', Buffer.from(typed));
  async function seeRows(what: string, fulfil: (rows: readonly string[]) => boolean): Promise<string[]> {
    keys.expectNew(what, fulfil);
    const rows = await waitFor(what, () => {
      if (!fulfil(readRows())) throw new Error(`the screen shows:\n${readRows().join('\n')}`);
      return readRows();
    });
    keys.seen();
    return rows;
  }
  return {
    input,
    output,
    signals,
    type(typed) {
      keys.type(typed, readRows());
      send(typed);
    },
    typeAhead: send,
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
      await waitFor('the terminal to accept all output', () => output.writableLength === 0);
      return readRows();
    },
    see: (text) => seeRows(`the screen to show ${String(text)}`, (shown) => showsText(shown, text)),
    seeNo: (text) => seeRows(`the screen to stop showing ${String(text)}`, (shown) => !showsText(shown, text)),
    seeRows,
    isOnAlternateScreen: () => output.screen.buffer.active.type === 'alternate',
  };
}
