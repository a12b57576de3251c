import { constants } from 'node:os';
import type { StreamName } from './run-source.js';

/** How a program ended. */
export type ExitStatus =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'killed'; readonly signal: NodeJS.Signals };

/** Names of signals by number. Of two names for one, the first is the usual one, so it is set last. */
export const SIGNAL_NAMES: ReadonlyMap<number, NodeJS.Signals> = new Map(
  Object.entries(constants.signals)
    .reverse()
    .map(([name, number]) => [number, name as NodeJS.Signals]),
);

/** Signals that write a core file; that of the program is enough. */
const WITH_CORE_FILE: ReadonlySet<string> = new Set(
  'SIGQUIT SIGILL SIGTRAP SIGABRT SIGBUS SIGFPE SIGSEGV SIGXCPU SIGXFSZ SIGSYS'.split(' '),
);

/** How to start a program. */
export interface ChildOptions {
  /** The program and its arguments. */
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called with each chunk of output after it was forwarded. Must not throw. */
  onOutput(stream: StreamName, chunk: Buffer): void;
}

/** A running program whose output is forwarded. */
export interface Child {
  readonly pid: number;
  readonly exited: Promise<ExitStatus>;
  /** Resolves when all output was forwarded, also that of processes the program left running, and the terminal was restored. */
  readonly closed: Promise<void>;
  /** True once the reader of the forwarded output is gone. */
  isOutputClosed(): boolean;
  /** Sends a signal; does nothing once the program has ended. */
  kill(signal: NodeJS.Signals): void;
  /** Stops forwarding, so that `closed` resolves. */
  detach(): void;
}

/** Ends this process by the program's signal, so that shells see Ctrl-C, else returns its code; 128 and the signal's number for core files. */
export function exitLike(status: ExitStatus): number {
  if (status.kind === 'exited') return status.code;
  const { signal } = status;
  if (!WITH_CORE_FILE.has(signal) && signal in constants.signals) process.kill(process.pid, signal);
  return 128 + constants.signals[signal];
}
