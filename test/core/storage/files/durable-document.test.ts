import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DocumentFormat, openDocument, replaceData } from '../../../../core/storage/files/durable-document.js';
import { nodeFiles } from '../../../../core/storage/files/node-files.js';
import { removeTemporaryFolders, temporaryFolder } from '../../../helpers/temporary-folder.js';

afterAll(removeTemporaryFolders);

interface Names {
  readonly names: readonly string[];
  readonly isDamaged: boolean;
}

const format: DocumentFormat<Names> = {
  encode: ({ names }) => names.join('\n'),
  decode: (content) => ({ names: content.toString('utf8').split('\n'), isDamaged: content.length === 0 }),
};
const defaults: Names = { names: [], isDamaged: false };

describe('a durable document', () => {
  it('has its defaults without a file, and what was written last after a restart', async () => {
    const path = join(await temporaryFolder(), 'names');
    const document = await openDocument({ files: nodeFiles, path, format, defaults });
    expect(document.data).toEqual(defaults);
    await replaceData(document, { names: ['a', 'b'], isDamaged: false });
    expect((await openDocument({ files: nodeFiles, path, format, defaults })).data.names).toEqual(['a', 'b']);
    expect(await readFile(path, 'utf8')).toBe('a\nb');
  });

  it('keeps its data if a write fails', async () => {
    const files = { ...nodeFiles, rename: () => Promise.reject(new Error('the disk is full')) };
    const path = join(await temporaryFolder(), 'names');
    await writeFile(path, 'a');
    const document = await openDocument({ files, path, format, defaults });
    await expect(replaceData(document, { names: ['b'], isDamaged: false })).rejects.toThrow('full');
    expect(document.data.names).toEqual(['a']);
    expect(await readFile(path, 'utf8')).toBe('a');
  });

  it('reads a folder in its place as damaged, and sets it aside only if it may write', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'names');
    await mkdir(path);
    expect((await openDocument({ files: nodeFiles, path, format, defaults })).data.isDamaged).toBe(true);
    expect(await readdir(folder)).toEqual(['names']);
    const written = await openDocument({ files: nodeFiles, path, format, defaults, setsFolderAside: true });
    expect(written.data.isDamaged).toBe(true);
    expect(await readdir(folder)).toEqual(['names.unusable-1']);
  });
});
