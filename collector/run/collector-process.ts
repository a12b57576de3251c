import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { Fault, messageOf } from '../../core/event/fault.js';
import { within } from '../../core/within.js';
import type { CollectorEndpoints } from './child-environment.js';
import { openEmbeddedCollector, type RunCollector } from './embedded-collector.js';
import type { RunSource } from './run-source.js';

/** What the process is told first. */
interface CollectorTask {
  readonly directory: string;
  readonly source: RunSource;
  /** Whether it removes the folder at its end. */
  readonly isTemporary: boolean;
}

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 10_000;

/** Starts a collector in a process of its own, so that the program and its exit code survive it; it ends with this one. `COLLECTOR_NOT_STARTED`. */
export async function openCollectorProcess(task: CollectorTask): Promise<RunCollector> {
  // Not in the foreground group of a terminal, whose Ctrl-C would end it before the program.
  const child = fork(process.argv[1] ?? '', ['run-collector'], { detached: true, execArgv: [], stdio: 'ignore' });
  const exited = once(child, 'exit');
  child.once('error', () => undefined);
  const answer = once(child, 'message').then(([message]) => message as CollectorEndpoints | string);
  child.send(task, () => undefined);
  const ended = exited.then(() => 'it ended at once');
  const endpoints = (await within(START_TIMEOUT_MS, Promise.race([answer, ended]))) ?? 'it took longer than 60 s';
  const close = async (): Promise<void> => {
    if (child.connected) child.disconnect();
    if ((await within(STOP_TIMEOUT_MS, exited)) === undefined) child.kill('SIGKILL');
  };
  if (typeof endpoints === 'object') return { endpoints, close };
  await close();
  throw new Fault('COLLECTOR_NOT_STARTED', `the collector did not start: ${endpoints}`);
}

/** The other side of `openCollectorProcess`: runs until the process that started it is gone. */
export async function runCollectorProcess(): Promise<number> {
  if (process.send === undefined) return 2;
  const gone = once(process, 'disconnect');
  const [{ directory, source, isTemporary }]: [CollectorTask] = (await once(process, 'message')) as [CollectorTask];
  try {
    const collector = await openEmbeddedCollector(directory, source, { isReadable: true });
    process.send(collector.endpoints);
    await gone;
    await collector.close();
  } catch (error) {
    if (process.connected) process.send(messageOf(error));
    await gone;
  } finally {
    if (isTemporary) await rm(directory, { recursive: true, force: true });
  }
  return 0;
}
