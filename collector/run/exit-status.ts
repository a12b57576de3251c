import { constants } from 'node:os';

/** How a program ended. */
export type ExitStatus =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'killed'; readonly signal: NodeJS.Signals };

/** The exit code by which shells know this end: 128 and the signal's number when a signal ended it. */
function shellExitCode(status: ExitStatus): number {
  return status.kind === 'exited' ? status.code : 128 + constants.signals[status.signal];
}

/** The signal of a number, as the operating system counts them; undefined for a number that it has not. */
export function signalOfNumber(number: number): NodeJS.Signals | undefined {
  return SIGNAL_NAMES.get(number);
}

/** Of two names for one number, the first one is the usual one. */
const SIGNAL_NAMES = new Map(
  Object.entries(constants.signals)
    .reverse()
    .map(([name, number]) => [number, name as NodeJS.Signals]),
);

/** These signals write a core file of the process they end; one of the program is enough. */
const WITH_CORE_FILE: ReadonlySet<NodeJS.Signals> = new Set([
  'SIGQUIT',
  'SIGILL',
  'SIGTRAP',
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGSEGV',
  'SIGXCPU',
  'SIGXFSZ',
  'SIGSYS',
]);

/**
 * Ends this process as the program ended: by the same signal, so that a shell in a loop sees Ctrl-C, or with the exit code that is answered. A signal
 * that writes a core file, or one that does not end us, becomes 128 and its number.
 */
export function endLike(status: ExitStatus): number {
  if (status.kind === 'killed' && !WITH_CORE_FILE.has(status.signal) && status.signal in constants.signals) {
    process.kill(process.pid, status.signal);
  }
  return shellExitCode(status);
}
