import type { ExitStatus } from './exit-status.js';
import type { StreamName } from './run-source.js';

/** How a program is started. */
export interface ChildOptions {
  /** The program and its words. */
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Takes each piece of output after it was passed on. Must not throw. */
  onOutput(stream: StreamName, chunk: Buffer): void;
}

/** A program that runs, its output passed on. */
export interface Child {
  readonly pid: number;
  /** How the program itself ended. */
  readonly exited: Promise<ExitStatus>;
  /** Its output has ended too and was passed on; what it left running may go on writing for long. The terminal, if there is one, is as before. */
  readonly closed: Promise<void>;
  /** True once nobody reads what we pass on. */
  isOutputClosed(): boolean;
  /** Sends a signal; nothing happens once the program has ended. */
  kill(signal: NodeJS.Signals): void;
  /** Passes on no more output, so that `closed` resolves. */
  letGo(): void;
}
