import { hasCode } from '../../core/storage/files/system-error.js';
import type { TextOutput } from './text-output.js';

/** What ends work that would otherwise go on: a signal, or that nobody reads any more. */
export interface Stopping {
  /** Aborted when the work is to end. */
  readonly signal: AbortSignal;
  /** 130 or 143 after SIGINT or SIGTERM, 0 when the reader went away (`| head`), undefined while nothing happened. */
  exitCode(): number | undefined;
  /** Lets go of the signals: a second one ends the process at once. */
  close(): void;
}

const SIGNAL_CODES = { SIGINT: 130, SIGTERM: 143 } as const;
const DONE = 0;

/** Listens until `close`. `signals`: default this process. */
export function listenForStop(stdout: TextOutput, signals: NodeJS.EventEmitter = process): Stopping {
  const abort = new AbortController();
  let code: number | undefined;
  const stop = (exitCode: number): void => {
    code ??= exitCode;
    abort.abort();
  };
  const onError = (error: unknown): void => {
    if (hasCode(error, 'EPIPE', 'EIO')) stop(DONE);
  };
  const listeners = Object.entries(SIGNAL_CODES).map(([name, exitCode]) => [name, () => stop(exitCode)] as const);
  for (const [name, listener] of listeners) signals.once(name, listener);
  stdout.on('error', onError);
  return {
    signal: abort.signal,
    exitCode: () => code,
    close() {
      for (const [name, listener] of listeners) signals.off(name, listener);
      stdout.off('error', onError);
    },
  };
}
