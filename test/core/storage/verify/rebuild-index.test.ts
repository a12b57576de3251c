import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RebuildOptions, rebuildIndex } from '../../../../core/storage/verify/rebuild-index.js';
import { removeTemporaryFolders, temporaryFolder } from '../../../helpers/temporary-folder.js';
import { API_AT_ELEVEN, copyOf, filesUnder, isRecord, openStore, sampleFolder, verify } from './sample-folder.js';

afterAll(removeTemporaryFolders);

let sample: Promise<string> | undefined;
async function copy(): Promise<string> {
  sample ??= sampleFolder();
  return await copyOf(await sample);
}

async function rebuild(directory: string, options: Partial<RebuildOptions> = {}): ReturnType<typeof rebuildIndex> {
  return await rebuildIndex({ directory, ...options });
}

describe('rebuilding an index', () => {
  it('returns the totals, does not change the record and removes the old index', async () => {
    const directory = await copy();
    const record = [...(await filesUnder(directory))].filter(([path]) => isRecord(path));
    expect(await rebuild(directory)).toEqual({ events: 660, issues: 70, salvaged: [] });
    expect(await rebuild(directory)).toEqual({ events: 660, issues: 70, salvaged: [] });
    expect([...(await filesUnder(directory))].filter(([path]) => isRecord(path))).toEqual(record);
    expect((await readdir(directory)).sort()).toEqual(expect.arrayContaining(['actions.ndjson', 'index', 'raw']));
    expect((await readdir(directory)).filter((name) => name.startsWith('index'))).toEqual(['index']);
    expect((await verify(directory)).findings).toEqual([]);
  });

  it('repairs an index that counts a partition which was moved away', async () => {
    const directory = await copy();
    await rm(join(directory, API_AT_ELEVEN), { recursive: true });
    expect((await verify(directory)).summary.damages).toBeGreaterThan(0);
    expect(await rebuild(directory)).toMatchObject({ events: 500 });
    expect((await verify(directory)).findings).toEqual([]);
  });

  it('removes the leftovers of an interrupted rebuild', async () => {
    const directory = await copy();
    await mkdir(join(directory, 'index.replaced/a/b'), { recursive: true });
    await writeFile(join(directory, 'index.replaced/a/b/c.json'), '{}');
    await rebuild(directory);
    expect(await readdir(directory)).not.toContain('index.replaced');
  });

  it('fails while a collector holds the folder, and names it', async () => {
    const directory = await copy();
    const store = await openStore(directory);
    await expect(rebuild(directory)).rejects.toMatchObject({
      code: 'STORE_LOCKED',
      message: expect.stringContaining(`process ${process.pid} on `),
    });
    await store.close();
    expect((await verify(directory)).findings).toEqual([]);
  });

  it('rejects a missing folder and does not create it', async () => {
    const directory = join(await temporaryFolder(), 'none');
    await expect(rebuild(directory)).rejects.toMatchObject({ code: 'FOLDER_NOT_FOUND' });
    expect((await filesUnder(join(directory, '..'))).size).toBe(0);
  });

  it('releases the lock when aborted, and the next opening completes the rebuild', async () => {
    const directory = await copy();
    const abort = new AbortController();
    abort.abort();
    await expect(rebuild(directory, { signal: abort.signal })).rejects.toBe(abort.signal.reason);
    const { findings, summary } = await verify(directory);
    expect(summary.damages).toBe(0);
    expect(findings).toMatchObject([{ code: 'INDEX_SET_ASIDE', file: 'index.replaced' }]);
    await (await openStore(directory)).close();
    expect((await verify(directory)).summary.damages).toBe(0);
  });
});
