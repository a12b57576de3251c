import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { end, endWithUs } from './collector-process.js';

/** The system tests open them by the same program, which is not compiled. */
const SLOW_CLIENTS = fileURLToPath(new URL('../../../test/system/slow-clients.js', import.meta.url));

/** Connections that send one byte a second, from a process of their own. */
export interface SlowConnections {
  /** How many were open each second since all had been opened once. */
  readonly open: readonly number[];
  stop(): Promise<void>;
}

/** Opens so many to the ingest endpoint of a collector; resolves when each was opened once. */
export async function openSlowConnections(ingestUrl: string, count: number): Promise<SlowConnections> {
  const child = spawn(process.execPath, [SLOW_CLIENTS, new URL(ingestUrl).port, `${count}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  endWithUs(child);
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
