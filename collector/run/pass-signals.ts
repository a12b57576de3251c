import type { Child } from './child.js';

/** Signals that a program gets when we get them. */
const PASSED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGWINCH'] as const;
/** Those that a terminal sends to every process in its foreground, so that a program which shares ours has them already. */
const FROM_TERMINAL: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGQUIT', 'SIGWINCH']);
/** By which a person who waits for nothing but our own end asks for it. */
const STOPS: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']);

/** What happens with signals. */
export interface SignalPassOptions {
  /** True when the program runs on the same terminal as we do, so that the keyboard reaches both. */
  readonly isTerminalShared: boolean;
  /** We were asked to stop after the program had ended. */
  onHurry(): void;
}

/** Signals on their way. */
export interface SignalPass {
  /** Those that came while the program ran; they reached it, from us or from the terminal. */
  readonly reached: ReadonlySet<NodeJS.Signals>;
  /** Passes on no more: signals mean to us what they mean to any process. */
  end(): void;
}

/** Passes signals on to a program. Until the end of the pass none of them ends us. */
export function passSignals(child: Child, { isTerminalShared, onHurry }: SignalPassOptions): SignalPass {
  const reached = new Set<NodeJS.Signals>();
  let hasEnded = false;
  void child.exited.then(() => {
    hasEnded = true;
  });
  const listeners = PASSED.map((signal) => {
    const listener = (): void => {
      if (hasEnded) {
        if (STOPS.has(signal)) onHurry();
        return;
      }
      reached.add(signal);
      if (!(isTerminalShared && FROM_TERMINAL.has(signal))) child.kill(signal);
    };
    process.on(signal, listener);
    return { signal, listener };
  });
  return {
    reached,
    end() {
      for (const { signal, listener } of listeners) process.off(signal, listener);
    },
  };
}
