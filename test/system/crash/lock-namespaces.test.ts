import { spawnSync } from 'node:child_process';
import { appendFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import {
  collectArguments,
  type FaultlineProcess,
  killLeftoverProcesses,
  runFaultline,
  startFaultline,
  stop,
} from '../../helpers/faultline-process.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';

/** A new PID namespace in which the collector is process 1; it is killed with `unshare`. */
const NAMESPACE = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--kill-child', '--mount-proc'];
const [unshare = '', ...words] = NAMESPACE;
const hasNamespaces = spawnSync(unshare, [...words, 'true']).status === 0;

afterAll(async () => {
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

const collect = (directory: string): string[] =>
  collectArguments(directory, ['--set=service.extensions=[]', '--set=service.telemetry.metrics.level=none']);

async function startInNamespace(directory: string): Promise<FaultlineProcess> {
  const collector = startFaultline(collect(directory), { through: NAMESPACE });
  await waitFor('the collector to print its addresses', () => {
    if (collector.child.exitCode !== null) throw new Error(collector.output.stderr);
    return collector.output.stdout.includes('is collecting into');
  });
  return collector;
}

describe('two collectors on one folder in different PID namespaces (skipped without user namespaces)', () => {
  (hasNamespaces ? it : it.skip)(
    'the second fails while the first runs, in any namespace, and starts after the first was killed',
    async () => {
      const directory = await temporaryFolder();
      const first = await startInNamespace(directory);
      for (const through of [NAMESPACE, []]) {
        const second = await runFaultline(collect(directory), { through });
        expect(second.code).toBe(1);
        expect(second.stderr).toContain(`The data folder is in use by process 1 on ${hostname()} since `);
      }
      const verify = ['verify', '--data', directory];
      expect((await runFaultline(verify)).stdout).toContain('WRITER_RUNNING');
      await stop(first, 'SIGKILL');
      expect((await runFaultline(verify)).stdout).toContain('LOCK_STALE');
      const third = await startInNamespace(directory);
      await stop(third, 'SIGKILL');
      // A torn lock does not block a start.
      await appendFile(join(directory, 'LOCK'), '{"pid":');
      const fourth = await startInNamespace(directory);
      expect(fourth.output.stderr).toContain('LOCK_UNREADABLE');
    },
  );
});
