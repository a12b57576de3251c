import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runValidate } from '../../../collector/commands/validate.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';

afterAll(removeTemporaryFolders);

async function validate(
  text: string,
  ...set: string[]
): Promise<{ code: number; stdout: string; stderr: string; file: string }> {
  const file = join(await temporaryFolder(), 'faultline.yaml');
  await writeFile(file, text);
  const written = { stdout: '', stderr: '' };
  const sink = (name: 'stdout' | 'stderr') => ({
    write: (part: string) => {
      written[name] += part;
    },
  });
  const code = await runValidate({ config: [file], set, env: {}, stdout: sink('stdout'), stderr: sink('stderr') });
  return { code, ...written, file };
}

const GOOD =
  'receivers: { events: }\nexporters: { store: }\nservice: { pipelines: { events: { receivers: [events], exporters: [store] } } }\n';

describe('faultline validate', () => {
  it('says that a good configuration is valid', async () => {
    expect(await validate(GOOD)).toMatchObject({ code: 0, stdout: 'configuration is valid\n', stderr: '' });
  });

  it('lists every problem with file, line and column', async () => {
    const { code, stdout, stderr, file } = await validate(
      GOOD.replace('[events]', '[evnts]'),
      'exporters.store.durability=maybe',
    );
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain(`${file}:3:`);
    expect(stderr).toContain('evnts');
    expect(stderr).toContain('maybe');
  });

  it('warns of what is doubtful and still accepts it', async () => {
    const { code, stdout, stderr } = await validate(GOOD.replace('{ store: }', '{ store: , store/unused: }'));
    expect(code).toBe(0);
    expect(stdout).toBe('configuration is valid\n');
    expect(stderr).toMatch(/^warning: .*store\/unused/m);
  });
});
