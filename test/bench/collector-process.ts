import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type WatchedProcess, watchArguments, watchEnvironment } from './watched-process.js';

const MAIN = fileURLToPath(new URL('../../main.js', import.meta.url));

/** A collector in a child process, which is measured apart from the benchmark. */
export interface CollectorProcess extends WatchedProcess {
  readonly ingestUrl: string;
  readonly queryUrl: string;
  readonly grpcUrl: string;
  /** Milliseconds from spawn until it prints its addresses. */
  readonly startMs: number;
  /** Resident memory in MB, a million bytes each. */
  residentMb(): number;
  stop(): Promise<void>;
  /** Sends SIGKILL. */
  kill(): Promise<void>;
}

/** Resident memory of a process in MB, from the kernel. */
export function residentMb(pid: number | undefined): number {
  const kib = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return (Number(kib) * 1024) / 1e6;
}

/**
 * Starts the built collector over a folder on free ports with the default configuration and `sets` (`a.b.c=v`). With `watchFile` its
 * event loop is measured, and the result is written there at exit.
 */
export async function startCollectorProcess(
  directory: string,
  watchFile?: string,
  sets: readonly string[] = [],
): Promise<CollectorProcess> {
  const began = performance.now();
  const child = spawn(
    process.execPath,
    [
      ...watchArguments(watchFile),
      MAIN,
      'collect',
      '--set=receivers.events.endpoint=127.0.0.1:0',
      '--set=receivers.otlp.protocols.http.endpoint=127.0.0.1:0',
      '--set=receivers.otlp.protocols.grpc.endpoint=127.0.0.1:0',
      '--set=receivers.sentry.endpoint=127.0.0.1:0',
      '--set=extensions.query.endpoint=127.0.0.1:0',
      `--set=exporters.store.directory=${directory}`,
      '--set=service.telemetry.logs.level=error',
      '--set=service.telemetry.metrics.address=127.0.0.1:0',
      ...sets.map((set) => `--set=${set}`),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'], env: watchEnvironment(watchFile) },
  );
  killAtExit(child);
  const urls = await new Promise<{ ingestUrl: string; queryUrl: string; grpcUrl: string }>((resolve, reject) => {
    let text = '';
    child.on('exit', () => reject(new Error('the collector ended before it was ready')));
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const ingestUrl = /send --url '?(http:\/\/[\w.:[\]]+:\d+)/.exec(text)?.[1];
      const queryUrl = /browse --url '?(http:\/\/[\w.:[\]]+:\d+)/.exec(text)?.[1];
      const grpc = /gRPC +([\w.:[\]]+:\d+)/.exec(text)?.[1];
      if (ingestUrl !== undefined && queryUrl !== undefined) {
        resolve({ ingestUrl, queryUrl, grpcUrl: `http://${grpc}` });
      }
    });
  });
  const startMs = performance.now() - began;
  return {
    child,
    ...urls,
    startMs,
    residentMb: () => residentMb(child.pid),
    stop: () => end(child, 'SIGTERM'),
    kill: () => end(child, 'SIGKILL'),
  };
}

/** Sends a signal to a process and waits until it exits. */
export function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  return new Promise((resolve) => {
    child.on('close', () => resolve());
    child.kill(signal);
  });
}

/** Kills a child process when the benchmark exits. */
export function killAtExit(child: ChildProcess): void {
  const kill = (): boolean => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
}
