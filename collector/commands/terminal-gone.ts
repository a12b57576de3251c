import { closeSync, constants, openSync } from 'node:fs';

/**
 * Looks now whether this process was started from a terminal, and answers what tells later whether that terminal was closed since. Without one, as under a
 * supervisor, it never was.
 */
export function watchTerminal(): () => boolean {
  const hasTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
  return () => hasTerminal && !canOpenTerminal();
}

/** The system gives a process its terminal under this name as long as there is one. */
function canOpenTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', constants.O_RDWR | constants.O_NOCTTY));
    return true;
  } catch {
    return false;
  }
}
