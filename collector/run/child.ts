import type { ExitStatus } from './exit-status.js';
import type { StreamName } from './run-source.js';

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
