import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../../core/event/fault.js';
import { verifyFolder } from '../../../core/storage/verify/verify-folder.js';
import { removeTemporaryFolders } from '../../helpers/temporary-folder.js';
import { closeStores, createTestGrouper, storeUnderTest } from './store-under-test.js';

afterEach(closeStores);
afterAll(removeTemporaryFolders);

const COMMENT = { action: 'comment', actor: 'ada', text: 'seen' } as const;

/** Returns a folder with three actions after a clean stop, and the path of its action log. */
async function actedFolder(): Promise<{ directory: string; path: string }> {
  const under = await storeUnderTest();
  const [stored] = await under.append({});
  if (stored === undefined) throw new Error('nothing was stored');
  await under.store.checkpoint();
  for (let times = 0; times < 3; times += 1) await under.store.act(stored.issue_id, COMMENT);
  await under.store.close();
  return { directory: under.directory, path: join(under.directory, 'actions.ndjson') };
}

/** Returns the faults of a start, and the findings of a verify afterwards. */
async function openAndVerify(directory: string, act = false): Promise<[string[], string[]]> {
  const under = await storeUnderTest(directory);
  const { issues } = await under.reader.listIssues();
  for (const { issue_id: issueId } of act ? issues : []) await under.store.act(issueId, COMMENT);
  await under.store.close();
  const findings: string[] = [];
  const createGrouper = createTestGrouper;
  await verifyFolder({ directory, createGrouper, onFinding: ({ code }) => findings.push(code) });
  return [under.faults.map((fault) => (fault instanceof Fault ? fault.code : fault.message)), findings];
}

describe('an action log that lacks actions of the index', () => {
  it.each([
    ['is missing', (path: string) => rm(path)],
    ['is empty', (path: string) => writeFile(path, '')],
    [
      'was cut after a line',
      async (path: string) => writeFile(path, (await readFile(path, 'utf8')).split(/(?<=\n)/)[0] ?? ''),
    ],
    [
      'lost its first line',
      async (path: string) =>
        writeFile(
          path,
          (await readFile(path, 'utf8'))
            .split(/(?<=\n)/)
            .slice(1)
            .join(''),
        ),
    ],
    [
      'was replaced',
      async (path: string) => writeFile(path, (await readFile(path, 'utf8')).replaceAll('"id":"', '"id":"0')),
    ],
  ])('that %s is reported at every start and by verify until the next action', async (_, damage) => {
    const { directory, path } = await actedFolder();
    await damage(path);
    const missing = [['ACTIONS_MISSING'], ['ACTIONS_MISSING']];
    expect(await openAndVerify(directory)).toEqual(missing);
    expect(await openAndVerify(directory)).toEqual(missing);
    expect(await openAndVerify(directory, true)).toEqual([['ACTIONS_MISSING'], []]);
    expect(await openAndVerify(directory)).toEqual([[], []]);
  });

  it('is also reported if the index is unusable', async () => {
    const { directory, path } = await actedFolder();
    await rm(path);
    const { generation } = JSON.parse(await readFile(join(directory, 'index', 'manifest.json'), 'utf8')).data;
    await rm(join(directory, 'index', generation, 'states'), { recursive: true });
    expect(await openAndVerify(directory)).toEqual([
      ['INDEX_UNUSABLE', 'ACTIONS_MISSING'],
      expect.arrayContaining(['ACTIONS_MISSING']),
    ]);
  });
});

describe('a complete action log', () => {
  it.each([
    ['if its index was removed', (directory: string) => rm(join(directory, 'index'), { recursive: true })],
    [
      'if the index is older',
      async (directory: string) => {
        const manifest = join(directory, 'index', 'manifest.json');
        const older = await readFile(manifest);
        await openAndVerify(directory, true);
        await writeFile(manifest, older);
      },
    ],
  ])('is not reported as damaged %s', async (_, change) => {
    const { directory } = await actedFolder();
    await change(directory);
    expect((await openAndVerify(directory))[0]).toEqual([]);
  });
});
