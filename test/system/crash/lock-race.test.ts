import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildModule } from '../../helpers/build-module.js';
import { endAfterTests, killLeftoverProcesses } from '../../helpers/faultline-process.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';

const PROCESSES = 6;
const ROUNDS = 2;

afterAll(async () => {
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

/** Waits for input, opens the writer lock of a folder, prints the result, and holds the lock. */
const PROGRAM = `
import { openWriterLock } from '${await buildModule('core/storage/lock/writer-lock.ts')}';
import { nodeFiles } from '${await buildModule('core/storage/files/node-files.ts')}';
process.stdin.once('data', async () => {
  const result = await openWriterLock({ directory: process.env.FOLDER, files: nodeFiles }).then(() => 'won', (fault) => fault.code);
  process.stdout.write(result + '\\n');
});
process.stdout.write('ready\\n');
`;

interface LockProcess {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly go: () => void;
  readonly end: () => Promise<unknown>;
}

function startLockProcess(directory: string): LockProcess {
  const spawned = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    env: { ...process.env, NODE_OPTIONS: '', FOLDER: directory },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const child = endAfterTests(spawned);
  const closed = once(child, 'close');
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return {
    child,
    output: () => text,
    go: () => void child.stdin.write('go\n'),
    end: () => {
      child.kill('SIGKILL');
      return closed;
    },
  };
}

describe('many processes that open the lock of a killed process at once', () => {
  it('one of them gets the lock, and the others fail with STORE_LOCKED', async () => {
    const directory = await temporaryFolder();
    for (let round = 0; round < ROUNDS; round += 1) {
      const processes = Array.from({ length: PROCESSES }, () => startLockProcess(directory));
      await waitFor('all to be ready', () => processes.every(({ output }) => output() === 'ready\n'));
      for (const { go } of processes) go();
      await waitFor('all to have tried', () => processes.every(({ output }) => output().split('\n').length === 3));
      const results = processes.map(({ output }) => output().split('\n')[1]);
      expect(results.toSorted()).toEqual([...Array.from({ length: PROCESSES - 1 }, () => 'STORE_LOCKED'), 'won']);
      const winner = processes[results.indexOf('won')];
      expect(JSON.parse(await readFile(join(directory, 'LOCK'), 'utf8'))).toMatchObject({ pid: winner?.child.pid });
      expect(await readdir(directory)).toHaveLength(2);
      // The lock of the winner is stale in the next round.
      await Promise.all(processes.map(({ end }) => end()));
    }
  });
});
