import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFiles } from '../../../../core/storage/files/node-files.js';
import { makeFolderDurably, writeFileDurably } from '../../../../core/storage/files/write-durably.js';
import { removeTemporaryFolders, temporaryFolder } from '../../../helpers/temporary-folder.js';

let umask: number;
beforeAll(() => {
  umask = process.umask();
});
afterEach(() => {
  process.umask(umask);
});
afterAll(removeTemporaryFolders);

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

describe('files and folders of the store', () => {
  it.each([
    [0o000, '640', '750'],
    [0o022, '640', '750'],
    [0o077, '600', '700'],
  ])('are accessible to the user, and readable by the group unless umask %o forbids it', async (mask, file, folder) => {
    const directory = await temporaryFolder();
    process.umask(mask);
    const made = join(directory, 'a', 'b');
    await makeFolderDurably(nodeFiles, made);
    await (await nodeFiles.open(join(made, 'created'), 'create')).close();
    await (await nodeFiles.open(join(made, 'written'), 'write')).close();
    await writeFileDurably(nodeFiles, join(made, 'replaced'), 'x');
    expect([await modeOf(join(directory, 'a')), await modeOf(made)]).toEqual([folder, folder]);
    for (const name of ['created', 'written', 'replaced']) expect(await modeOf(join(made, name))).toBe(file);
  });
});
