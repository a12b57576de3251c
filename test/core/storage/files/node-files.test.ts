import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFiles } from '../../../../core/storage/files/node-files.js';
import { unlinkIfExists } from '../../../../core/storage/files/store-files.js';
import { hasCode } from '../../../../core/storage/files/system-error.js';
import { makeFolderDurably, writeFileDurably } from '../../../../core/storage/files/write-durably.js';
import { removeTemporaryFolders, temporaryFolder } from '../../../helpers/temporary-folder.js';
import { failingFiles } from '../record/failing-files.js';

afterAll(removeTemporaryFolders);

describe('nodeFiles', () => {
  it('writes several buffers at a position and reads them back', async () => {
    const path = join(await temporaryFolder(), 'file');
    const file = await nodeFiles.open(path, 'create');
    await file.write([Buffer.from('one '), new Uint8Array(0), Buffer.from('two')], 0);
    await file.write([Buffer.from('ONE')], 0);
    await file.write([], 3);
    expect((await file.read(0, 100)).toString()).toBe('ONE two');
    expect((await file.read(4, 2)).toString()).toBe('tw');
    expect(await file.read(100, 5)).toHaveLength(0);
    // A read allocates no more than the size of the file.
    expect((await file.read(1, Number.MAX_SAFE_INTEGER)).toString()).toBe('NE two');
    expect(await file.read(100, Number.MAX_SAFE_INTEGER)).toHaveLength(0);
    await file.truncate(3);
    await file.sync();
    expect(await file.size()).toBe(3);
    await file.close();
    expect(await readFile(path, 'utf8')).toBe('ONE');
  });

  it('writes more buffers and bytes than one system call accepts', async () => {
    const file = await nodeFiles.open(join(await temporaryFolder(), 'file'), 'write');
    const buffers = Array.from({ length: 3000 }, (_, index) => Buffer.alloc(1000, index));
    await file.write(buffers, 7);
    expect((await file.read(7, 3_000_000)).equals(Buffer.concat(buffers))).toBe(true);
    await file.close();
  });

  it('opens files that must, may or must not exist', async () => {
    const path = join(await temporaryFolder(), 'file');
    await expect(nodeFiles.open(path, 'read')).rejects.toMatchObject({ code: 'ENOENT' });
    await (await nodeFiles.open(path, 'write')).close();
    await (await nodeFiles.open(path, 'write')).close();
    await expect(nodeFiles.open(path, 'create')).rejects.toMatchObject({ code: 'EEXIST' });
    const reading = await nodeFiles.open(path, 'read');
    await expect(reading.write([Buffer.from('x')], 0)).rejects.toMatchObject({ code: 'EBADF' });
    await reading.close();
  });

  it('returns undefined or an empty list for missing paths', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'file'), 'x');
    for (const path of [join(folder, 'absent'), join(folder, 'file', 'below')]) {
      expect(await nodeFiles.readFile(path)).toBeUndefined();
      expect(await nodeFiles.stat(path)).toBeUndefined();
      expect(await nodeFiles.list(path)).toEqual([]);
    }
    await expect(nodeFiles.unlink(join(folder, 'absent'))).rejects.toMatchObject({ code: 'ENOENT' });
    await unlinkIfExists(nodeFiles, join(folder, 'absent'));
  });

  it('distinguishes files, folders and others', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'file'), 'four');
    await mkdir(join(folder, 'folder'));
    await symlink(join(folder, 'folder'), join(folder, 'link'));
    expect((await nodeFiles.list(folder)).toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
      { name: 'file', kind: 'file' },
      { name: 'folder', kind: 'folder' },
      { name: 'link', kind: 'other' },
    ]);
    expect(await nodeFiles.stat(join(folder, 'file'))).toMatchObject({ bytes: 4, kind: 'file' });
    expect(await nodeFiles.stat(join(folder, 'folder'))).toMatchObject({ kind: 'folder' });
  });

  it('returns the folders that it created, outermost first', async () => {
    const folder = await temporaryFolder();
    const path = (...names: string[]): string => join(folder, ...names);
    expect(await nodeFiles.makeFolder(path('a'))).toEqual([path('a')]);
    expect(await nodeFiles.makeFolder(path('a', 'b', 'c'))).toEqual([path('a', 'b'), path('a', 'b', 'c')]);
    expect(await nodeFiles.makeFolder(path('a', 'b', 'c'))).toEqual([]);
    // In /proc mkdir fails with ENOENT although the parent exists.
    await expect(nodeFiles.makeFolder('/proc/nothing/here')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('syncs the parent of each folder that it creates durably', async () => {
    const folder = await temporaryFolder();
    const synced: string[] = [];
    const files = {
      ...nodeFiles,
      syncFolder: async (path: string) => {
        synced.push(path);
        await nodeFiles.syncFolder(path);
      },
    };
    await makeFolderDurably(files, join(folder, 'a', 'b'));
    // Outer folders come first: the process that created them may not have synced them.
    expect(synced.slice(-2)).toEqual([folder, join(folder, 'a')]);
  });

  it('renames and unlinks files', async () => {
    const folder = await temporaryFolder();
    const path = (name: string): string => join(folder, name);
    for (const name of ['one', 'two']) await writeFile(path(name), 'x');
    await nodeFiles.rename(path('one'), path('three'));
    await nodeFiles.unlink(path('two'));
    expect(await readdir(folder)).toEqual(['three']);
  });
});

describe('writeFileDurably', () => {
  it('replaces a file completely or not at all, at whichever call it fails', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'document.json');
    const files = failingFiles(nodeFiles);
    await writeFileDurably(files, path, 'a first version that is longer');
    const { calls } = files;
    expect(calls).toBe(6);
    for (let at = 0; at < calls; at += 1) {
      files.arm({ code: 'ENOSPC', at, times: Number.POSITIVE_INFINITY });
      await expect(writeFileDurably(files, path, 'second')).rejects.toMatchObject({ code: 'ENOSPC' });
      expect(['a first version that is longer', 'second']).toContain(await readFile(path, 'utf8'));
      expect(files.openFiles).toBe(0);
    }
    files.arm();
    await writeFileDurably(files, path, new Uint8Array([0x74, 0x68, 0x69, 0x72, 0x64]));
    expect(await readFile(path, 'utf8')).toBe('third');
    expect(await readdir(folder)).toEqual(['document.json']);
  });
});

describe('hasCode', () => {
  it('is true for the named codes of an error and nothing else', () => {
    const error = Object.assign(new Error('x'), { code: 'ENOENT' });
    expect(hasCode(error, 'EEXIST', 'ENOENT')).toBe(true);
    expect(hasCode(error, 'EEXIST')).toBe(false);
    for (const other of [undefined, null, 'ENOENT', new Error('ENOENT'), { code: 2 }]) {
      expect(hasCode(other, 'ENOENT')).toBe(false);
    }
  });
});
