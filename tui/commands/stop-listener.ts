import { hasCode } from '../../core/storage/files/system-error.js';
import type { TextOutput } from './text-output.js';

const SIGNAL_CODES = { SIGINT: 130, SIGTERM: 143 } as const;
const DONE = 0;

/** Stops long work on SIGINT, on SIGTERM, or when the reader of standard output exits; until `close`. `signals`: default this process. */
export function listenForStop(stdout: TextOutput, signals: NodeJS.EventEmitter = process) {
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
    /** 130 after SIGINT, 143 after SIGTERM, 0 after the reader exited (`| head`); undefined before. */
    exitCode: () => code,
    /** Removes the signal handlers: the next signal ends the process at once. */
    close(): void {
      for (const [name, listener] of listeners) signals.off(name, listener);
      stdout.off('error', onError);
    },
  };
}
