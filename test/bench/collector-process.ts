import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../main.js', import.meta.url));

/** A collector in a process of its own, so that its figures are not ours. */
export interface CollectorProcess {
  readonly child: ChildProcess;
  readonly ingestUrl: string;
  readonly queryUrl: string;
  /** Milliseconds from spawn to the line that says where it listens. */
  readonly startMs: number;
  /** Resident memory in MiB. */
  residentMib(): number;
  stop(): Promise<void>;
}

/** Resident memory of a process in MiB, from the kernel. */
export function residentMib(pid: number | undefined): number {
  const kib = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib) / 1024;
}

/** Starts the built collector over a folder on free ports. */
export async function startCollectorProcess(directory: string): Promise<CollectorProcess> {
  const began = performance.now();
  const child = spawn(
    process.execPath,
    [
      MAIN,
      'collect',
      '--set=receivers.events.endpoint=127.0.0.1:0',
      '--set=extensions.query.endpoint=127.0.0.1:0',
      `--set=exporters.store.directory=${directory}`,
      '--set=service.telemetry.logs.level=error',
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const urls = await new Promise<{ ingestUrl: string; queryUrl: string }>((resolve, reject) => {
    let text = '';
    child.on('exit', () => reject(new Error('the collector ended before it was ready')));
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const ingestUrl = /curl[^\n]*(http:\/\/[\w.:[\]]+:\d+)\/v1\/events/.exec(text)?.[1];
      const queryUrl = /--url (http:\/\/[\w.:[\]]+:\d+)/.exec(text)?.[1];
      if (ingestUrl !== undefined && queryUrl !== undefined) resolve({ ingestUrl, queryUrl });
    });
  });
  const startMs = performance.now() - began;
  return {
    child,
    ...urls,
    startMs,
    residentMib: () => residentMib(child.pid),
    stop: () =>
      new Promise((resolve) => {
        child.on('close', () => resolve());
        child.kill('SIGTERM');
      }),
  };
}
