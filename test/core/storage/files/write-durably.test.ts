import { makeFolderDurably } from '../../../../core/storage/files/write-durably.js';
import { createMemoryDisk } from '../record/memory-disk.js';

const NOTHING_SURVIVES = (): number => 0;

describe('makeFolderDurably', () => {
  it('creates folders that survive a power failure', async () => {
    const disk = createMemoryDisk();
    await makeFolderDurably(disk.files, '/data/index/events');
    const { files } = disk.failPower(NOTHING_SURVIVES);
    expect(await files.stat('/data/index/events')).toMatchObject({ kind: 'folder', bytes: 0 });
  });

  it.each(['/data', '/data/index'])(
    'also if %s was created by a process that was killed before it synced the folder',
    async (folder) => {
      const disk = createMemoryDisk();
      await disk.files.makeFolder(folder);
      const next = disk.kill();
      await makeFolderDurably(next.files, '/data/index/events');
      const { files } = next.failPower(NOTHING_SURVIVES);
      expect(await files.stat('/data/index/events')).toMatchObject({ kind: 'folder', bytes: 0 });
    },
  );

  it('repeats a failed sync in the next call', async () => {
    const disk = createMemoryDisk();
    disk.fateOf = (operation) => (operation === 'syncFolder' ? { code: 'EIO', effect: 'none' } : undefined);
    await expect(makeFolderDurably(disk.files, '/data/index')).rejects.toMatchObject({ code: 'EIO' });
    disk.fateOf = undefined;
    await makeFolderDurably(disk.files, '/data/index');
    const { files } = disk.failPower(NOTHING_SURVIVES);
    expect(await files.stat('/data/index')).toMatchObject({ kind: 'folder', bytes: 0 });
  });

  it('syncs a folder once, and ignores a parent that it must not sync', async () => {
    const disk = createMemoryDisk();
    await disk.files.makeFolder('/mnt/disk');
    const synced: string[] = [];
    disk.fateOf = (operation, path) => {
      if (operation === 'syncFolder') synced.push(path);
      return operation === 'syncFolder' && path === '/' ? { code: 'EACCES', effect: 'none' } : undefined;
    };
    await makeFolderDurably(disk.files, '/mnt/disk/data');
    await makeFolderDurably(disk.files, '/mnt/disk/data');
    expect(synced).toEqual(['/', '/mnt', '/mnt/disk']);
  });
});
