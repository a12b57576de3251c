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

/** Acquires the terminal until `end`, a signal, an uncaught exception, a closed terminal or the exit; `end` and `close` are idempotent. */
export function openScreenSession({ input, output, signals, onLeave, onReturn }: ScreenSessionOptions) {
  let isOurs = false;
  let isOver = false;
  let isMouseOn = false;
  let isLent = false;
  /** Resolves `ended`, once the terminal is restored. */
  let resolveEnded: (result: SessionEnd) => void = () => undefined;
  const ended = new Promise<SessionEnd>((resolve) => {
    resolveEnded = resolve;
  });

  function enter(): void {
    if (isOver) return;
    isOurs = true;
    input.setRawMode(true);
    output.write(isMouseOn ? ENTER + MOUSE_ON : ENTER);
  }

  function leave(): void {
    if (!isOurs) return;
    isOurs = false;
    onLeave();
    try {
      output.write(isMouseOn ? MOUSE_OFF + LEAVE : LEAVE);
      input.setRawMode(false);
    } catch {
      // The terminal is closed; nothing to restore.
    }
  }

  function end(result: SessionEnd): void {
    leave();
    if (isOver) return;
    isOver = true;
    resolveEnded(result);
  }

  /** Ends the session and removes the signal handlers. Call it last: until then signals must not end the process. */
  function close(): void {
    end({ exitCode: 0 });
    for (const [event, listener] of listeners) signals.off(event, listener);
    input.off('end', onGone);
    input.off('error', onGone);
    // A closed terminal emits an error for every write, so the listener on `output` stays.
  }

  /** Turns mouse reports on or off; initially off, and off while the terminal is released. */
  function mouse(isOn: boolean): void {
    if (isOn === isMouseOn) return;
    isMouseOn = isOn;
    if (isOurs) output.write(isOn ? MOUSE_ON : MOUSE_OFF);
  }

  /** Releases the terminal while `run` uses it, as an editor does; SIGINT is ignored meanwhile. Rejects as `run` does. */
  async function lend<T>(run: () => Promise<T>): Promise<T> {
    leave();
    isLent = true;
    try {
      return await run();
    } finally {
      isLent = false;
      if (!isOver) {
        enter();
        onReturn();
      }
    }
  }

  /** Releases the terminal and stops the process until the shell continues it. */
  function suspend(): void {
    if (!isOurs) return;
    leave();
    signals.off('SIGTSTP', suspend);
    signals.kill(OWN_PROCESS_GROUP, 'SIGTSTP');
    setTimeout(comeBack, STOP_MS);
  }

  function comeBack(): void {
    if (isOver || isOurs || isLent) return;
    signals.on('SIGTSTP', suspend);
    enter();
    onReturn();
  }

  const onSignal = (name: string, exitCode: number): void => {
    if (!isLent || name !== 'SIGINT') end({ exitCode });
  };
  const onGone = (): void => end({ exitCode: ENDING_SIGNALS.SIGHUP });
  const onError = (error: unknown): void => end({ exitCode: FAILED, error });
  const onContinue = (): void => {
    // The process was stopped from outside; the shell has used the terminal since.
    isOurs = false;
    signals.off('SIGTSTP', suspend);
    comeBack();
  };
  const listeners: (readonly [string, (value: unknown) => void])[] = [
    ...Object.entries(ENDING_SIGNALS).map(([name, exitCode]) => [name, () => onSignal(name, exitCode)] as const),
    ['SIGTSTP', suspend],
    ['SIGCONT', onContinue],
    ['uncaughtException', onError],
    ['unhandledRejection', onError],
    ['exit', leave],
  ];
  for (const [event, listener] of listeners) signals.on(event, listener);
  output.on('error', onGone);
  input.on('end', onGone);
  input.on('error', onGone);
  enter();
  return { ended, end, mouse, lend, suspend, close };
}
