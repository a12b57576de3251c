import { fileURLToPath } from 'node:url';
import type { CollectorProcess } from './collector-process.js';
import { programPath } from './run-program.js';
import { startTerminalProcess, type TerminalProcess } from './terminal-process.js';

const MAIN = fileURLToPath(new URL('../../main.js', import.meta.url));

/** Starts the peer: a bare Ink program with a number of rows. */
export function startBareInk(rows: number): TerminalProcess {
  return startTerminalProcess([programPath('bare-ink'), `${rows}`]);
}

/** Starts the built `faultline browse` on a collector. */
export function startBrowse({ queryUrl }: CollectorProcess, nodeArguments: readonly string[] = []): TerminalProcess {
  return startTerminalProcess([...nodeArguments, MAIN, 'browse', '--url', queryUrl]);
}
