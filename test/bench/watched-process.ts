import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { programPath } from './run-program.js';

/** A process whose event loop can be measured. */
export interface WatchedProcess {
  readonly child: ChildProcess;
}

/** Measurements of a process since its last reset. */
export interface Watched {
  /** The longest time between two turns of its event loop; 1 ms when idle. */
  readonly maxMs: number;
  readonly p99Ms: number;
  /** Bytes that it wrote to files and sockets since its start. */
  readonly wchar: number;
}

/** Returns the Node arguments that load the watcher; none without a file. */
export function watchArguments(file: string | undefined): string[] {
  return file === undefined ? [] : ['--import', pathToFileURL(programPath('watch-process')).href];
}

/** Returns the environment of a watched process. */
export function watchEnvironment(file: string | undefined): NodeJS.ProcessEnv {
  return file === undefined ? process.env : { ...process.env, FAULTLINE_BENCH_WATCH: file };
}

/** Resets the measurements of a watched process. */
export function resetWatch({ child }: WatchedProcess): void {
  child.kill('SIGUSR2');
}

/** Returns the bytes that a running process wrote to files and sockets. */
export function bytesWritten({ child }: WatchedProcess): number {
  return Number(/wchar: (\d+)/.exec(readFileSync(`/proc/${child.pid}/io`, 'utf8'))?.[1]);
}

/** Reads the measurements that a process wrote at its exit. */
export function readWatched(file: string): Watched {
  const watched: Record<string, unknown> = JSON.parse(readFileSync(file, 'utf8'));
  return { maxMs: Number(watched['maxMs']), p99Ms: Number(watched['p99Ms']), wchar: Number(watched['wchar']) };
}
