import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { end, killAtExit } from './collector-process.js';

/** A program of the system tests, which is not compiled. */
const SLOW_CLIENTS = fileURLToPath(new URL('../../../test/system/slow-clients.js', import.meta.url));

/** Connections of a child process that send one byte a second. */
export interface SlowConnections {
  /** The number of open connections each second, after all had been opened once. */
  readonly open: readonly number[];
  stop(): Promise<void>;
}

/** Opens connections to an ingest endpoint; resolves when each was opened once. */
export async function openSlowConnections(ingestUrl: string, count: number): Promise<SlowConnections> {
  const child = spawn(process.execPath, [SLOW_CLIENTS, new URL(ingestUrl).port, `${count}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  killAtExit(child);
  const open: number[] = [];
  await new Promise<void>((resolve, reject) => {
    child.on('exit', () => reject(new Error('the slow connections ended')));
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      open.push(...text.trim().split('\n').map(Number));
      resolve();
    });
  });
  return { open, stop: () => end(child, 'SIGKILL') };
}
