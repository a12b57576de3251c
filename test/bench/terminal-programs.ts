import { fileURLToPath } from 'node:url';
import type { CollectorProcess } from './collector-process.js';
import { programPath } from './run-program.js';
import { startTerminalProcess, type TerminalProcess } from './terminal-process.js';

const MAIN = fileURLToPath(new URL('../../main.js', import.meta.url));

/** The peer: a bare Ink program with so many rows. */
export function startBareInk(rows: number): TerminalProcess {
  return startTerminalProcess([programPath('bare-ink'), `${rows}`]);
}

/** The terminal as it is built, over a collector. */
export function startBrowse({ queryUrl }: CollectorProcess, nodeArguments: readonly string[] = []): TerminalProcess {
  return startTerminalProcess([...nodeArguments, MAIN, 'browse', '--url', queryUrl]);
}
