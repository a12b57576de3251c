import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { post } from '../collector/post.js';
import { endAfterTests, killLeftoverProcesses, startCollector, stop } from '../helpers/faultline-process.js';
import { serverPayload } from '../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../helpers/temporary-folder.js';
import { waitFor } from '../helpers/wait-for.js';

const SLOW_CLIENTS = fileURLToPath(new URL('./slow-clients.js', import.meta.url));
const COUNT = 2_000;
const MAX_CONNECTIONS = 500;
const EVENTS = 200;
/** Resident memory of 500 connections. */
const MAX_GROWTH_BYTES = 150 * 1024 * 1024;

afterAll(async () => {
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

function residentBytes(pid: number | undefined): number {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

it('serves another client beside 2,000 clients that send one byte a second, in bounded memory', async () => {
  const collector = await startCollector(await temporaryFolder(), [
    // Receivers on a shared endpoint would have the same limit.
    '--set=receivers.events.endpoint=127.0.0.1:0',
    `--set=receivers.events.connections.max_connections=${MAX_CONNECTIONS}`,
  ]);
  const before = residentBytes(collector.child.pid);
  const port = new URL(collector.ingestUrl).port;
  const clients = endAfterTests(spawn(process.execPath, [SLOW_CLIENTS, port, String(COUNT)]));
  let output = '';
  clients.stdout.on('data', (text) => {
    output += String(text);
  });
  try {
    await waitFor('all clients', () => output !== '', 40_000);
    for (let event = 0; event < EVENTS; event++) {
      expect((await post(`${collector.ingestUrl}/v1/events`, JSON.stringify(serverPayload()))).status).toBe(200);
    }
    expect(residentBytes(collector.child.pid) - before).toBeLessThan(MAX_GROWTH_BYTES);
  } finally {
    clients.kill('SIGKILL');
    await stop(collector);
  }
});
