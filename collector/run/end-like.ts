import { constants } from 'node:os';
import { type ExitStatus, shellExitCode } from './exit-status.js';

/** These write a core file of whoever they end; one of the program is enough. */
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
