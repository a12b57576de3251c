import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { programPath } from './run-program.js';

/** A process whose event loop may be watched. */
export interface WatchedProcess {
  readonly child: ChildProcess;
}

/** Measurements of a process since its last reset. */
export interface Watched {
  /** The longest time between two turns of its event loop, which is 1 ms where nothing holds it up. */
  readonly maxMs: number;
  readonly p99Ms: number;
  /** Bytes that it wrote over its whole life, to files and sockets. */
  readonly wchar: number;
}

/** Arguments of Node that load the watcher; none without a file. */
export function watchArguments(file: string | undefined): string[] {
  return file === undefined ? [] : ['--import', pathToFileURL(programPath('watch-process')).href];
}

/** The environment of a watched process. */
export function watchEnvironment(file: string | undefined): NodeJS.ProcessEnv {
  return file === undefined ? process.env : { ...process.env, FAULTLINE_BENCH_WATCH: file };
}

/** Tells a watched process to begin anew. */
export function beginWatch({ child }: WatchedProcess): void {
  child.kill('SIGUSR2');
}

/** Bytes that a running process wrote so far, to files and sockets. */
export function bytesWritten({ child }: WatchedProcess): number {
  return Number(/wchar: (\d+)/.exec(readFileSync(`/proc/${child.pid}/io`, 'utf8'))?.[1]);
}

/** What an ended process left. */
export function readWatched(file: string): Watched {
  const found: Record<string, unknown> = JSON.parse(readFileSync(file, 'utf8'));
  return { maxMs: Number(found['maxMs']), p99Ms: Number(found['p99Ms']), wchar: Number(found['wchar']) };
}
