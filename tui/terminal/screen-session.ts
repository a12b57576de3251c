import type { ProcessSignals, TerminalInput, TerminalOutput } from './terminal-streams.js';

/** Why a session ended: an exit code, and the error to tell of when there is one. */
export interface SessionEnd {
  readonly exitCode: number;
  readonly error?: unknown;
}

export interface ScreenSessionOptions {
  input: TerminalInput;
  output: TerminalOutput;
  signals: ProcessSignals;
  /** Called before the terminal is given back: nothing may be written to it any more. */
  onLeave: () => void;
  /** Called when the terminal is ours again; everything on it may be gone. */
  onReturn: () => void;
}

/**
 * The terminal while it is ours: raw keys, alternate screen, no cursor, no wrapping at the edge, pastes marked.
 * It is given back however the program ends: by `end`, a signal, an exception that nobody caught, a terminal that is gone, or the exit of the process.
 * The first end counts; giving back is safe twice.
 */
export interface ScreenSession {
  /** Resolves when the session is over and the terminal is as it was. */
  readonly ended: Promise<SessionEnd>;
  end(result: SessionEnd): void;
  /** Asks the terminal to report the mouse, or no longer; off at first, and off whenever the terminal is not ours. */
  mouse(isOn: boolean): void;
  /** Gives the terminal to a program of ours, an editor, until it is through; Ctrl-C is that program's meanwhile. Rejects as `run` does. */
  lend<T>(run: () => Promise<T>): Promise<T>;
  /** Gives the terminal back and stops the process until the shell continues it. */
  suspend(): void;
  /** Ends the session and lets go of the signals, when everything else is put away: until then they may not end the process. */
  close(): void;
}

/** Alternate screen, cursor hidden, no automatic wrapping, bracketed paste. */
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[?2004h\u001b[2J';
/** Presses and the wheel, with positions beyond column 223. */
const MOUSE_ON = '\u001b[?1000h\u001b[?1006h';
const MOUSE_OFF = '\u001b[?1006l\u001b[?1000l';
/** The same undone, whatever a frame left open closed. */
const LEAVE = '\u001b[?2026l\u001b[0m\u001b[?2004l\u001b[?7h\u001b[?25h\u001b[?1049l';

/** Exit codes of programs that a signal ended: 128 and its number. */
const ENDING_SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
const FAILED = 1;
/** Every process of the group that the terminal's keys go to. */
const OWN_PROCESS_GROUP = 0;
/** How long the stop may take to arrive; without it, as under a shell without job control, we go on. */
const STOP_MS = 100;

/** Takes over a terminal. */
export function openScreenSession({ input, output, signals, onLeave, onReturn }: ScreenSessionOptions): ScreenSession {
  let isOurs = false;
  let isOver = false;
  let isMouseOn = false;
  let isLent = false;
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
      // The terminal is gone: there is nothing left to give back.
    }
  }

  function end(result: SessionEnd): void {
    leave();
    if (isOver) return;
    isOver = true;
    resolveEnded(result);
  }

  function close(): void {
    end({ exitCode: 0 });
    for (const [event, listener] of listeners) signals.off(event, listener);
    input.off('end', onGone);
    input.off('error', onGone);
    // A terminal that is gone reports it for every write; the listener on `output` stays.
  }

  function mouse(isOn: boolean): void {
    if (isOn === isMouseOn) return;
    isMouseOn = isOn;
    if (isOurs) output.write(isOn ? MOUSE_ON : MOUSE_OFF);
  }

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
    // Stopped from outside without our knowing: the shell has used the terminal since.
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
