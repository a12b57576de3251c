import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../../core/event/fault.js';
import { verifyFolder } from '../../../core/storage/verify/verify-folder.js';
import { removeTemporaryFolders } from '../../helpers/temporary-folder.js';
import { closeStores, createTestGrouper, storeUnderTest } from './store-under-test.js';

afterEach(closeStores);
afterAll(removeTemporaryFolders);

const COMMENT = { action: 'comment', actor: 'ada', text: 'seen' } as const;

/** A folder with three actions after a clean stop, and its log. */
async function actedFolder(): Promise<{ directory: string; path: string }> {
  const under = await storeUnderTest();
  const [stored] = await under.append({});
  if (stored === undefined) throw new Error('nothing was stored');
  await under.store.checkpoint();
  for (let times = 0; times < 3; times += 1) await under.store.act(stored.issue_id, COMMENT);
  await under.store.close();
  return { directory: under.directory, path: join(under.directory, 'actions.ndjson') };
}

/** What a start tells, and what verify finds afterwards. */
async function told(directory: string, act = false): Promise<[string[], string[]]> {
  const under = await storeUnderTest(directory);
  const { issues } = await under.reader.listIssues();
  for (const { issue_id: issueId } of act ? issues : []) await under.store.act(issueId, COMMENT);
  await under.store.close();
  const findings: string[] = [];
  const createGrouper = createTestGrouper;
  await verifyFolder({ directory, createGrouper, onFinding: ({ code }) => findings.push(code) });
  return [under.faults.map((fault) => (fault instanceof Fault ? fault.code : fault.message)), findings];
}

describe('an action log that holds less than the index knows of', () => {
  it.each([
    ['is missing', (path: string) => rm(path)],
    ['is empty', (path: string) => writeFile(path, '')],
    [
      'was cut behind a line',
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
  ])('is told at every start and by verify until the next action, where it %s', async (_, damage) => {
    const { directory, path } = await actedFolder();
    await damage(path);
    const missing = [['ACTIONS_MISSING'], ['ACTIONS_MISSING']];
    expect(await told(directory)).toEqual(missing);
    expect(await told(directory)).toEqual(missing);
    expect(await told(directory, true)).toEqual([['ACTIONS_MISSING'], []]);
    expect(await told(directory)).toEqual([[], []]);
  });

  it('is told also where the index cannot be used otherwise', async () => {
    const { directory, path } = await actedFolder();
    await rm(path);
    const { generation } = JSON.parse(await readFile(join(directory, 'index', 'manifest.json'), 'utf8')).data;
    await rm(join(directory, 'index', generation, 'states'), { recursive: true });
    expect(await told(directory)).toEqual([
      ['INDEX_UNUSABLE', 'ACTIONS_MISSING'],
      expect.arrayContaining(['ACTIONS_MISSING']),
    ]);
  });
});

describe('an action log that is whole', () => {
  it.each([
    ['where its index was removed', (directory: string) => rm(join(directory, 'index'), { recursive: true })],
    [
      'where the index is older',
      async (directory: string) => {
        const manifest = join(directory, 'index', 'manifest.json');
        const older = await readFile(manifest);
        await told(directory, true);
        await writeFile(manifest, older);
      },
    ],
  ])('is not taken for a damaged one %s', async (_, change) => {
    const { directory } = await actedFolder();
    await change(directory);
    expect((await told(directory))[0]).toEqual([]);
  });
});
