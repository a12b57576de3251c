import type { Child } from './child.js';

/** Signals that a program gets when we get them. */
const PASSED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGWINCH'] as const;
/** Those that a terminal sends to every process in its foreground, so that a program which shares ours has them already. */
const FROM_TERMINAL: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGQUIT', 'SIGWINCH']);
/** By which a person who waits for nothing but our own end asks for it. */
const STOPS: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']);

/**
 * Passes signals on to a program; until `end` none of them ends us. `reached` are those that came while the program ran, from us or from the terminal that it
 * shares with us. `onHurry` is called where we are asked to stop after the program had ended.
 */
export function passSignals(
  child: Child,
  isTerminalShared: boolean,
  onHurry: () => void,
): { readonly reached: ReadonlySet<NodeJS.Signals>; end(): void } {
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
