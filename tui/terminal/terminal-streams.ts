/** `process.stdout` on a terminal. */
export interface TerminalOutput extends NodeJS.EventEmitter {
  readonly isTTY?: boolean | undefined;
  readonly columns: number;
  readonly rows: number;
  /** False if the terminal is slow; it emits `drain` once it has caught up. */
  write(text: string): boolean;
}

/** `process.stdin` on a terminal. */
export interface TerminalInput extends NodeJS.EventEmitter {
  readonly isTTY?: boolean | undefined;
  setRawMode(isRaw: boolean): unknown;
  resume(): unknown;
  pause(): unknown;
}

/** Signals and uncaught errors of `process`. */
export interface ProcessSignals extends NodeJS.EventEmitter {
  kill(processId: number, signal: string): unknown;
}
