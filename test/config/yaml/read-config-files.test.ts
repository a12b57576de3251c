import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../../../config/config-error.js';
import { readConfigFiles, readReferencedFile } from '../../../config/yaml/read-config-files.js';

describe('readConfigFiles', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'faultline-config-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('returns the embedded default without file names', async () => {
    expect(await readConfigFiles([])).toEqual([{ name: 'default.yaml', text: expect.stringContaining('receivers:') }]);
  });

  it('returns the texts in the order of the paths', async () => {
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

  it('accepts file:, env: and yaml: as the Collector does', async () => {
    const path = join(folder, 'a.yaml');
    await writeFile(path, '# a');
    const names = [`file:${path}`, 'env:WHOLE', 'yaml:receivers: { events: }'];
    expect(await readConfigFiles(names, { WHOLE: 'service:' })).toEqual([
      { name: path, text: '# a' },
      { name: 'env:WHOLE', text: 'service:' },
      { name: '--config yaml', text: 'receivers: { events: }' },
    ]);
  });

  it('rejects unset variables, URLs and empty paths', async () => {
    const names = ['env:WHOLE', 'https://config.example.com/a.yaml', 'file:'];
    await expect(readConfigFiles(names, {})).rejects.toMatchObject({
      problems: [
        { source: 'env:WHOLE', message: 'environment variable "WHOLE" is not set' },
        { source: names[1], message: 'scheme "https" is not supported; expected a path, env:NAME or yaml:TEXT' },
        { source: '--config', message: 'file: has no path; expected file:PATH' },
      ],
    });
  });
});

describe('readReferencedFile', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'faultline-config-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('reads a file, also through a symbolic link, as Kubernetes mounts secrets', async () => {
    await writeFile(join(folder, 'token'), 'a\n');
    await symlink(join(folder, 'token'), join(folder, 'link'));
    expect(readReferencedFile(join(folder, 'token'))).toEqual({ text: 'a\n' });
    expect(readReferencedFile(join(folder, 'link'))).toEqual({ text: 'a\n' });
  });

  it('returns why a file cannot be read', async () => {
    await writeFile(join(folder, 'large'), Buffer.alloc(256 * 1024 + 1, '#'));
    await writeFile(join(folder, 'latin'), Buffer.from('caf\xe9', 'latin1'));
    await symlink('circle', join(folder, 'circle'));
    const faultOf = (name: string) => readReferencedFile(join(folder, name));
    expect(faultOf('absent')).toEqual({ fault: 'cannot be read: no such file (ENOENT)' });
    expect(faultOf('.')).toEqual({ fault: 'cannot be read: it is a directory (EISDIR)' });
    expect(faultOf('latin/x')).toEqual({ fault: 'cannot be read: a part of its path is not a directory (ENOTDIR)' });
    expect(faultOf('circle')).toEqual({ fault: 'cannot be read: its symbolic links form a loop (ELOOP)' });
    expect(faultOf('large')).toEqual({ fault: 'is longer than 256 KiB' });
    expect(faultOf('latin')).toEqual({ fault: 'is not UTF-8 text' });
    expect(readReferencedFile('/dev/null')).toEqual({ fault: 'cannot be read: it is not a regular file' });
  });
});
