import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTemporaryFolders } from '../../../helpers/temporary-folder.js';
import { closeStores, storeUnderTest } from '../store-under-test.js';

afterEach(closeStores);
afterAll(removeTemporaryFolders);

/** The first document of a kind in an index. */
async function documentOf(directory: string, kind: string): Promise<string> {
  const index = join(directory, 'index');
  const { generation } = JSON.parse(await readFile(join(index, 'manifest.json'), 'utf8')).data;
  const folder = kind === 'events' ? join(index, generation, kind, '0') : join(index, generation, kind);
  return join(folder, (await readdir(folder))[0] ?? '');
}

async function turnInto(path: string, kind: 'file' | 'folder'): Promise<void> {
  await rm(path, { recursive: true });
  if (kind === 'file') await writeFile(path, '');
  else await mkdir(join(path, 'inside'), { recursive: true });
}

describe('an index with a misplaced folder or file', () => {
  it.each([
    [
      'the manifest is a folder',
      async (directory: string) => turnInto(join(directory, 'index', 'manifest.json'), 'folder'),
    ],
    ['a segment is a folder', async (directory: string) => turnInto(await documentOf(directory, 'events'), 'folder')],
    [
      'a document of cards is a folder',
      async (directory: string) => turnInto(await documentOf(directory, 'cards'), 'folder'),
    ],
    [
      'a document of states is a folder',
      async (directory: string) => turnInto(await documentOf(directory, 'states'), 'folder'),
    ],
    ['it is a file itself', async (directory: string) => turnInto(join(directory, 'index'), 'file')],
  ])('is set aside, reported and rebuilt if %s', async (_, damage) => {
    const before = await storeUnderTest();
    await before.append({}, { error_name: 'Other' });
    await before.store.close();
    await damage(before.directory);
    await mkdir(join(before.directory, 'index.unusable-1'));
    const after = await storeUnderTest(before.directory);
    expect(after.faults).toEqual([expect.objectContaining({ code: 'INDEX_UNUSABLE' })]);
    expect(await after.reader.stats()).toMatchObject({ events: 2, issues: 2 });
    expect(await readdir(before.directory)).toContain('index.unusable-2');
    await after.store.close();
    expect((await storeUnderTest(before.directory)).faults).toEqual([]);
  });

  it('is used if a folder lies among its documents', async () => {
    const before = await storeUnderTest();
    await before.append({});
    await before.store.close();
    const stray = join(await documentOf(before.directory, 'states'), '..', '0-0.json');
    await mkdir(join(stray, 'inside'), { recursive: true });
    const after = await storeUnderTest(before.directory);
    expect(after.faults).toEqual([]);
    expect(await after.reader.stats()).toMatchObject({ events: 1 });
  });
});
