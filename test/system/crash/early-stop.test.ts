import { execFileSync } from 'node:child_process';
import { constants } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openEventStore } from '../../../core/storage/event-store.js';
import { collectArguments, killLeftoverProcesses, startFaultline } from '../../helpers/faultline-process.js';
import { kindOfFailure } from '../../helpers/payloads.js';
import { reservePort } from '../../helpers/reserved-port.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';

afterAll(async () => {
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

const SENDERS = 16;
const CLEAN = { code: 0, signal: null };

const collect = (directory: string, port = 0): string[] =>
  collectArguments(directory, [
    `--set=receivers.events.endpoint=127.0.0.1:${port}`,
    '--set=service.extensions=[query]',
    '--set=service.telemetry.metrics.level=none',
  ]);

/** Opens a pipe when it has a reader. */
const openReadPipe = (path: string) =>
  waitFor('the pipe to be read', () =>
    open(path, constants.O_WRONLY | constants.O_NONBLOCK).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENXIO') return undefined;
      throw error;
    }),
  );

describe('a collector that is stopped while it starts', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('exits with 0 at %s while it reads its configuration', async (signal) => {
    const directory = await temporaryFolder();
    const config = join(directory, 'config.yaml');
    execFileSync('mkfifo', [config]);
    const { child, finished } = startFaultline([...collect(join(directory, 'data')), '--config', config]);
    const pipe = await openReadPipe(config);
    child.kill(signal);
    await pipe.close();
    expect(await finished).toMatchObject(CLEAN);
    expect(await stat(join(directory, 'data')).catch(() => 'absent')).toBe('absent');
  });

  it.each<[string, (directory: string, stdout: string) => Promise<boolean> | boolean]>([
    ['its data folder exists', async (directory) => (await stat(directory)).isDirectory()],
    ['LOCK exists', async (directory) => (await stat(join(directory, 'LOCK'))).isFile()],
    ['LOCK names it', async (directory) => (await readFile(join(directory, 'LOCK'))).length > 0],
    ['its index folder exists', async (directory) => (await stat(join(directory, 'index'))).isDirectory()],
    ['it prints its addresses', (_, stdout) => stdout !== ''],
  ])('exits with 0 at SIGTERM as soon as %s, and releases the lock', async (what, isReached) => {
    const directory = join(await temporaryFolder(), 'data');
    const { child, output, finished } = startFaultline(collect(directory));
    await waitFor(what, () => isReached(directory, output.stdout));
    child.kill('SIGTERM');
    expect(await finished).toMatchObject(CLEAN);
    expect(await readFile(join(directory, 'LOCK'), 'utf8').catch(() => '')).toBe('');
  });

  it('stores what it acknowledged and exits with 0 at a SIGTERM that arrives with the first response', async () => {
    const directory = await temporaryFolder();
    const port = await reservePort();
    const { child, finished } = startFaultline(collect(directory, port));
    let isStopped = false;
    let acknowledged = 0;
    const body = JSON.stringify(kindOfFailure(1));
    const sender = async (): Promise<void> => {
      while (!isStopped) {
        const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
        const response = await fetch(`http://127.0.0.1:${port}/v1/events`, request).catch(() => undefined);
        if (response?.status !== 200) continue;
        acknowledged += 1;
        if (acknowledged === 1) child.kill('SIGTERM');
      }
    };
    const senders = Array.from({ length: SENDERS }, sender);
    expect(await finished).toMatchObject(CLEAN);
    isStopped = true;
    await Promise.all(senders);
    const store = await openEventStore({ directory });
    expect((await store.reader.stats()).events).toBeGreaterThanOrEqual(acknowledged);
    expect(acknowledged).toBeGreaterThan(0);
    await store.close();
  });
});
