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

/** Exit code of a session, and the error that ended it. */
export interface SessionEnd {
  readonly exitCode: number;
  readonly error?: unknown;
}

export interface ScreenSessionOptions {
  input: TerminalInput;
  output: TerminalOutput;
  signals: ProcessSignals;
  /** Called before the terminal is released; nothing may be written to it afterwards. */
  onLeave: () => void;
  /** Called after the terminal was acquired again; its content may be lost. */
  onReturn: () => void;
}

/** Alternate screen, cursor hidden, no automatic wrapping, bracketed paste. */
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[?2004h\u001b[2J';
/** Presses and the wheel, with positions beyond column 223. */
const MOUSE_ON = '\u001b[?1000h\u001b[?1006h';
const MOUSE_OFF = '\u001b[?1006l\u001b[?1000l';
/** Reverts ENTER, and closes an update and styles that a frame left open. */
const LEAVE = '\u001b[?2026l\u001b[0m\u001b[?2004l\u001b[?7h\u001b[?25h\u001b[?1049l';

/** Exit codes after a signal: 128 plus its number. */
const ENDING_SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
const FAILED = 1;
/** `kill` with 0 signals the whole process group. */
const OWN_PROCESS_GROUP = 0;
/** Time for the stop to arrive; a shell without job control does not stop the process, which then continues. */
const STOP_MS = 100;

/**
 * Holds the terminal from its construction until `end`, a signal, an uncaught exception, a closed terminal or the exit. `end` and `close` are
 * idempotent.
 */
export class ScreenSession {
  /** Resolves once the session is over and the terminal is restored. */
  readonly ended: Promise<SessionEnd>;
  readonly #options: ScreenSessionOptions;
  readonly #signalListeners: readonly (readonly [string, (value: unknown) => void])[];
  #resolveEnded: (result: SessionEnd) => void = () => undefined;
  #isOurs = false;
  #isOver = false;
  #isMouseOn = false;
  #isLent = false;

  constructor(options: ScreenSessionOptions) {
    this.#options = options;
    this.ended = new Promise<SessionEnd>((resolve) => {
      this.#resolveEnded = resolve;
    });
    const onError = (error: unknown): void => this.end({ exitCode: FAILED, error });
    this.#signalListeners = [
      ...Object.entries(ENDING_SIGNALS).map(([name, code]) => [name, () => this.#onEndingSignal(name, code)] as const),
      ['SIGTSTP', this.suspend],
      ['SIGCONT', () => this.#onContinue()],
      ['uncaughtException', onError],
      ['unhandledRejection', onError],
      ['exit', () => this.#leave()],
    ];
    const { input, output, signals } = options;
    for (const [event, listener] of this.#signalListeners) signals.on(event, listener);
    output.on('error', this.#onGone);
    input.on('end', this.#onGone);
    input.on('error', this.#onGone);
    this.#enter();
  }

  /** Restores the terminal, and resolves `ended` at the first call. */
  end(result: SessionEnd): void {
    this.#leave();
    if (this.#isOver) return;
    this.#isOver = true;
    this.#resolveEnded(result);
  }

  /** Ends the session and removes the signal handlers. Call it last: until then signals must not end the process. */
  close(): void {
    this.end({ exitCode: 0 });
    const { input, signals } = this.#options;
    for (const [event, listener] of this.#signalListeners) signals.off(event, listener);
    input.off('end', this.#onGone);
    input.off('error', this.#onGone);
    // A closed terminal emits an error for every write, so the listener on `output` stays.
  }

  /** Turns mouse reports on or off; initially off, and off while the terminal is released. */
  mouse(isOn: boolean): void {
    if (isOn === this.#isMouseOn) return;
    this.#isMouseOn = isOn;
    if (this.#isOurs) this.#options.output.write(isOn ? MOUSE_ON : MOUSE_OFF);
  }

  /** Releases the terminal while `run` uses it, as an editor does; SIGINT is ignored meanwhile. Rejects as `run` does. */
  async lend<T>(run: () => Promise<T>): Promise<T> {
    this.#leave();
    this.#isLent = true;
    try {
      return await run();
    } finally {
      this.#isLent = false;
      if (!this.#isOver) this.#return();
    }
  }

  /** Releases the terminal and stops the process until the shell continues it. */
  readonly suspend = (): void => {
    if (!this.#isOurs) return;
    this.#leave();
    const { signals } = this.#options;
    signals.off('SIGTSTP', this.suspend);
    signals.kill(OWN_PROCESS_GROUP, 'SIGTSTP');
    setTimeout(() => this.#comeBack(), STOP_MS);
  };

  #comeBack(): void {
    if (this.#isOver || this.#isOurs || this.#isLent) return;
    this.#options.signals.on('SIGTSTP', this.suspend);
    this.#return();
  }

  /** The process was stopped from outside; the shell has used the terminal since. */
  #onContinue(): void {
    this.#isOurs = false;
    this.#options.signals.off('SIGTSTP', this.suspend);
    this.#comeBack();
  }

  #onEndingSignal(name: string, exitCode: number): void {
    if (!this.#isLent || name !== 'SIGINT') this.end({ exitCode });
  }

  readonly #onGone = (): void => this.end({ exitCode: ENDING_SIGNALS.SIGHUP });

  #return(): void {
    this.#enter();
    this.#options.onReturn();
  }

  #enter(): void {
    if (this.#isOver) return;
    this.#isOurs = true;
    const { input, output } = this.#options;
    input.setRawMode(true);
    output.write(this.#isMouseOn ? ENTER + MOUSE_ON : ENTER);
  }

  #leave(): void {
    if (!this.#isOurs) return;
    this.#isOurs = false;
    const { input, output, onLeave } = this.#options;
    onLeave();
    try {
      output.write(this.#isMouseOn ? MOUSE_OFF + LEAVE : LEAVE);
      input.setRawMode(false);
    } catch {
      // The terminal is closed; nothing to restore.
    }
  }
}
