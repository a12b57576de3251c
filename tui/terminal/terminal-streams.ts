/** The part of a terminal that is written to; `process.stdout` on a terminal is one. */
export interface TerminalOutput extends NodeJS.EventEmitter {
  readonly isTTY?: boolean | undefined;
  readonly columns: number;
  readonly rows: number;
  /** False when the terminal is slow; `drain` is emitted when it has caught up. */
  write(text: string): boolean;
}

/** The part of a terminal that is read from; `process.stdin` on a terminal is one. */
export interface TerminalInput extends NodeJS.EventEmitter {
  readonly isTTY?: boolean | undefined;
  setRawMode(isRaw: boolean): unknown;
  resume(): unknown;
  pause(): unknown;
}

/** What a process hears from outside and from its own mistakes; `process` is one. */
export interface ProcessSignals extends NodeJS.EventEmitter {
  kill(processId: number, signal: string): unknown;
}
