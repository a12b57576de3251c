import { join } from 'node:path';
import { type RebuildOptions, rebuildIndex } from '../../../../core/storage/verify/rebuild-index.js';
import { changeFile } from '../record/change-file.js';
import { createMemoryDisk, MEMORY_ROOT, type MemoryDisk } from '../record/memory-disk.js';
import { API_AT_ELEVEN, filesUnder, isRecord, openStore, sampleFolder, verify } from './sample-folder.js';

let sample: Promise<MemoryDisk> | undefined;
async function copy(): Promise<MemoryDisk> {
  sample ??= sampleFolder();
  return (await sample).copy();
}

async function rebuild({ files }: MemoryDisk, options: Partial<RebuildOptions> = {}): ReturnType<typeof rebuildIndex> {
  return await rebuildIndex({ directory: MEMORY_ROOT, files, ...options });
}

async function namesIn({ files }: MemoryDisk, folder = MEMORY_ROOT): Promise<string[]> {
  return (await files.list(folder)).map(({ name }) => name);
}

describe('rebuilding an index', () => {
  it('returns the totals, does not change the record and removes the old index', async () => {
    const disk = await copy();
    const record = [...(await filesUnder(disk))].filter(([path]) => isRecord(path));
    expect(await rebuild(disk)).toEqual({ events: 304, issues: 70, salvaged: [] });
    expect(await rebuild(disk)).toEqual({ events: 304, issues: 70, salvaged: [] });
    expect([...(await filesUnder(disk))].filter(([path]) => isRecord(path))).toEqual(record);
    expect((await namesIn(disk)).filter((name) => name.startsWith('index'))).toEqual(['index']);
    expect((await verify(disk)).findings).toEqual([]);
  });

  it('repairs an index that counts a partition which was moved away', async () => {
    const disk = await copy();
    disk.pull(join(MEMORY_ROOT, API_AT_ELEVEN));
    expect((await verify(disk)).summary.damages).toBeGreaterThan(0);
    expect(await rebuild(disk)).toMatchObject({ events: 240 });
    expect((await verify(disk)).findings).toEqual([]);
  });

  it('removes the leftovers of an interrupted rebuild', async () => {
    const disk = await copy();
    await disk.files.makeFolder(join(MEMORY_ROOT, 'index.replaced/a/b'));
    await changeFile(disk, join(MEMORY_ROOT, 'index.replaced/a/b/c.json'), () => Buffer.from('{}'));
    await rebuild(disk);
    expect(await namesIn(disk)).not.toContain('index.replaced');
  });

  it('fails while a collector holds the folder, and names it', async () => {
    const disk = await copy();
    const store = await openStore(disk);
    await expect(rebuild(disk)).rejects.toMatchObject({
      code: 'STORE_LOCKED',
      message: expect.stringContaining(`process ${process.pid} on `),
    });
    await store.close();
    expect((await verify(disk)).findings).toEqual([]);
  });

  it('rejects a missing folder and does not create it', async () => {
    const disk = createMemoryDisk();
    await expect(rebuild(disk)).rejects.toMatchObject({ code: 'FOLDER_NOT_FOUND' });
    expect(await namesIn(disk, '/')).toEqual([]);
  });

  it('releases the lock when aborted, and the next opening completes the rebuild', async () => {
    const disk = await copy();
    const abort = new AbortController();
    abort.abort();
    await expect(rebuild(disk, { signal: abort.signal })).rejects.toBe(abort.signal.reason);
    const { findings, summary } = await verify(disk);
    expect(summary.damages).toBe(0);
    expect(findings).toMatchObject([{ code: 'INDEX_SET_ASIDE', file: 'index.replaced' }]);
    await (await openStore(disk)).close();
    expect((await verify(disk)).summary.damages).toBe(0);
  });
});
