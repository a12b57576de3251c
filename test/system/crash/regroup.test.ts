import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { DEFAULT_GROUPING, type GroupingSettings } from '../../../core/fingerprint/grouping-settings.js';
import { type EventStore, openEventStore } from '../../../core/storage/event-store.js';
import { verifyFolder } from '../../../core/storage/verify/verify-folder.js';
import { buildModule } from '../../helpers/build-module.js';
import { endAfterTests, killLeftoverProcesses } from '../../helpers/faultline-process.js';
import { kindOfFailure } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';

afterAll(async () => {
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

const REGROUP_FOLDER = await buildModule('core/storage/acting-folder.ts');
const BY_NAME: GroupingSettings = {
  ...DEFAULT_GROUPING,
  rules: [{ name: 'by name', query: '', fingerprint: ['{{ error_name }}'] }],
};
const EVENTS = 6_000;
const BATCH = 500;

/** The program of the child process; prints its progress and `done`. */
const PROGRAM = `
const { regroupFolder } = await import(process.argv[1]);
const onProgress = ({ doneEvents }) => process.stdout.write(doneEvents + '\\n');
await regroupFolder({ directory: process.argv[2] }, ({ regroup }) =>
  process.argv[3] === 'back' ? regroup.rollBack({ onProgress }) : regroup.apply(JSON.parse(process.argv[4]), { onProgress }));
process.stdout.write('done\\n');
`;

async function filledFolder(): Promise<string> {
  const directory = await temporaryFolder();
  const store = await openEventStore({ directory, durability: 'os' });
  for (let first = 0; first < EVENTS; first += BATCH) {
    const { grouper } = store;
    const batch = Array.from({ length: BATCH }, (_, index) => {
      const payload = kindOfFailure(index % 40, { request_id: `${first + index}` });
      return { payload, fingerprint: grouper.fingerprint(payload) };
    });
    await store.append(batch, { groupedBy: grouper.key });
  }
  await store.close();
  return directory;
}

/** Regroups in a child process that is killed after a time; returns whether it completed. */
async function regroupUntil(directory: string, action: 'apply' | 'back', killAfterMs: number): Promise<boolean> {
  const argv = ['--input-type=module', '-e', PROGRAM, REGROUP_FOLDER, directory, action, JSON.stringify(BY_NAME)];
  const child = endAfterTests(spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'pipe'] }));
  let output = '';
  let errors = '';
  let timer: NodeJS.Timeout | undefined;
  child.stdout.on('data', (bytes: Buffer) => {
    timer ??= setTimeout(() => child.kill('SIGKILL'), killAfterMs);
    output += bytes.toString('latin1');
  });
  child.stderr.on('data', (bytes: Buffer) => {
    errors += bytes.toString('utf8');
  });
  await once(child, 'close');
  clearTimeout(timer);
  expect(errors).toBe('');
  return output.endsWith('done\n');
}

async function groupingsOf(store: EventStore): Promise<string[]> {
  const { issues } = await store.reader.listIssues({ limit: 500 });
  return issues.map(({ fingerprint, count }) => `${fingerprint} ${count}`).sort();
}

describe('a process killed in the middle of a regrouping', () => {
  it.each(['apply', 'back'] as const)(
    'leaves the folder in the state before or after, never in between: %s',
    async (action) => {
      const directory = await filledFolder();
      let store = await openEventStore({ directory });
      const original = await groupingsOf(store);
      await store.regroup.apply(BY_NAME);
      const applied = await groupingsOf(store);
      if (action === 'apply') await store.regroup.rollBack();
      await store.close();
      const after = action === 'apply' ? applied : original;
      for (let killAfterMs = 0, isDone = false; !isDone; killAfterMs = 2 * killAfterMs + 10) {
        await regroupUntil(directory, action, killAfterMs);
        const faults: Error[] = [];
        store = await openEventStore({ directory, onFault: (fault) => faults.push(fault) });
        const groupings = await groupingsOf(store);
        expect((await store.reader.stats()).events).toBe(EVENTS);
        expect([original, applied]).toContainEqual(groupings);
        isDone = isDeepStrictEqual(groupings, after);
        expect(faults).toEqual([]);
        await store.close();
      }
      const findings: string[] = [];
      await verifyFolder({ directory, onFinding: ({ code }) => findings.push(code) });
      expect(findings).toEqual([]);
    },
  );
});
