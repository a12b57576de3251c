import { type FSWatcher, watch } from 'node:fs';
import { appendFile, mkdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { glob } from 'tinyglobby';
import { killLeftoverProcesses, type RunningCollector, startCollector, stop } from '../../helpers/faultline-process.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';

const watchers: FSWatcher[] = [];

afterAll(async () => {
  for (const watcher of watchers) watcher.close();
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

const ROUNDS = 4;
const CHECKPOINT = 'checkpoint.json';

/** Messages of all stored events, from the raw files. */
async function storedMessages(store: string): Promise<string[]> {
  const messages: string[] = [];
  for (const path of await glob(['raw/**/raw.ndjson'], { cwd: store, absolute: true })) {
    // The last line may be torn after a kill.
    const whole = (await readFile(path, 'utf8')).split('\n').slice(0, -1);
    messages.push(...whole.map((line) => String(JSON.parse(line).message)));
  }
  return messages;
}

/** Counts how often the checkpoint was replaced. */
function countCheckpoints(folder: string): { count: number } {
  const counter = { count: 0 };
  watchers.push(
    watch(folder, (_event, name) => {
      if (name === CHECKPOINT) counter.count += 1;
    }),
  );
  return counter;
}

describe('a collector that follows log files and is killed with SIGKILL', () => {
  it('stores every failure exactly once, also from files that are renamed meanwhile', async () => {
    const folder = await temporaryFolder();
    const [store, logs, storage] = [join(folder, 'store'), join(folder, 'logs'), join(folder, 'storage')];
    const checkpoints = join(storage, 'file_log');
    await mkdir(logs);
    await mkdir(checkpoints, { recursive: true });
    const checkpointCounter = countCheckpoints(checkpoints);
    const start = (): Promise<RunningCollector> =>
      startCollector(store, [
        '--set=service.pipelines.events.receivers=[events,file_log]',
        // Includes renamed files: a file may be created and renamed while the collector is down.
        `--set=receivers.file_log.include=[${join(logs, '*.log*')}]`,
        '--set=receivers.file_log.start_at=beginning',
        '--set=receivers.file_log.poll_interval=10ms',
        '--set=receivers.file_log.force_flush_period=1m',
        `--set=receivers.file_log.storage.directory=${storage}`,
      ]);

    const written: string[] = [];
    let isWriting = true;
    const writer = async (name: string): Promise<void> => {
      const path = join(logs, `${name}.log`);
      for (let number = 0; isWriting; number += 1) {
        const message = `order ${number} of ${name} failed`;
        written.push(message);
        // Every third failure is a trace that is written in two parts.
        if (number % 3 === 0) {
          await appendFile(path, 'Traceback (most recent call last):\n  File "/srv/app.py", line 3, in run\n');
          await appendFile(path, `    start()\nOrderError: ${message}\nINFO next\n`);
        } else {
          await appendFile(path, `${JSON.stringify({ level: 'error', msg: message })}\n`);
        }
        if (number % 200 === 199) await rename(path, `${path}.${number}`);
        // Nothing waits for this: it keeps the files small.
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      await appendFile(path, 'INFO end\n');
    };

    let collector = await start();
    const writers = Promise.all(['api', 'pay', 'web'].map(writer));
    for (let round = 0; round < ROUNDS; round += 1) {
      const { count } = checkpointCounter;
      // Kills alternately after a checkpoint and after events were stored.
      const replaced = 2 + Math.floor(Math.random() * 6);
      await waitFor('checkpoints', () => checkpointCounter.count >= count + replaced);
      if (round % 2 === 1) {
        const stored = (await storedMessages(store)).length;
        await waitFor('more events', async () => (await storedMessages(store)).length > stored);
      }
      await stop(collector, 'SIGKILL');
      collector = await start();
    }
    isWriting = false;
    await writers;
    await waitFor('all failures', async () => new Set(await storedMessages(store)).size === written.length, 60_000);
    expect(await stop(collector)).toMatchObject({ code: 0 });
    expect((await storedMessages(store)).sort()).toEqual([...written].sort());
  });
});
