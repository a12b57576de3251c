import { constants } from 'node:os';

/** How a program ended. */
export type ExitStatus =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'killed'; readonly signal: NodeJS.Signals };

/** The exit code by which shells know this end: 128 and the signal's number when a signal ended it. */
export function shellExitCode(status: ExitStatus): number {
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
