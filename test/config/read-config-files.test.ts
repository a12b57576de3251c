import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../../config/config-error.js';
import { readConfigFiles } from '../../config/read-config-files.js';

describe('readConfigFiles', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'faultline-config-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('gives the embedded default when no file is named', async () => {
    expect(await readConfigFiles([])).toEqual([{ name: 'default.yaml', text: expect.stringContaining('receivers:') }]);
  });

  it('gives the texts in the order of the paths', async () => {
    const paths = ['b.yaml', 'a.yaml'].map((name) => join(folder, name));
    await Promise.all(paths.map((path) => writeFile(path, `# ${path}`)));
    expect(await readConfigFiles(paths)).toEqual(paths.map((path) => ({ name: path, text: `# ${path}` })));
  });

  it('lists every file that cannot be read, is too large or is not UTF-8', async () => {
    const [missing, large, latin, good] = ['missing', 'large', 'latin', 'good'].map((name) => join(folder, name));
    if (missing === undefined || large === undefined || latin === undefined || good === undefined) throw new Error();
    await writeFile(large, Buffer.alloc(10_000_000, '#'));
    await writeFile(latin, Buffer.from('# caf\xe9', 'latin1'));
    await writeFile(good, '');
    const error: unknown = await readConfigFiles([missing, folder, large, latin, good]).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ConfigError);
    expect(error).toMatchObject({
      code: 'CONFIG_INVALID',
      problems: [
        { source: missing, message: expect.stringContaining('ENOENT') },
        { source: folder, message: expect.stringContaining('EISDIR') },
        { source: large, message: 'longer than 256 KiB' },
        { source: latin, message: 'is not UTF-8 text' },
      ],
    });
  });
});
