import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runValidate } from '../../../collector/commands/validate.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';

afterAll(removeTemporaryFolders);

/** For tests with start checks: another collector may use the port. */
const WITHOUT_METRICS = 'service.telemetry.metrics.level=none';

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
  const code = await runValidate({
    config: [file],
    set,
    env: {},
    startChecks: set.includes(WITHOUT_METRICS),
    connect: false,
    stdout: sink('stdout'),
    stderr: sink('stderr'),
  });
  return { code, ...written, file };
}

const GOOD =
  'receivers: { events: }\nexporters: { store: }\nservice: { pipelines: { events: { receivers: [events], exporters: [store] } } }\n';

describe('faultline validate', () => {
  it('reports a valid configuration', async () => {
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

  it('warns about unused components and still accepts them', async () => {
    const { code, stdout, stderr } = await validate(GOOD.replace('{ store: }', '{ store: , store/unused: }'));
    expect(code).toBe(0);
    expect(stdout).toBe('configuration is valid\n');
    expect(stderr).toMatch(/^warning: .*store\/unused/m);
  });

  it('lists problems of the machine and of the text in the order of the text', async () => {
    const folder = await temporaryFolder();
    const text = `
receivers:
  events:
    endpoint: 127.0.0.1:0
    tls:
      cert_file: ${folder}/absent.crt
      key_file: ${folder}/absent.key
exporters: { store: { directory: "${folder}" } }
service:
  pipelines: { events: { receivers: [events, nobody], exporters: [store] } }
`;
    const { code, stdout, stderr, file } = await validate(text, WITHOUT_METRICS);
    const lines = stderr.trimEnd().split('\n');
    expect([code, stdout]).toEqual([1, '']);
    expect(lines).toEqual([
      expect.stringContaining(`${file}:6:18: receivers.events.tls.cert_file: ${folder}/absent.crt cannot be read`),
      expect.stringContaining(`${file}:7:17: receivers.events.tls.key_file: ${folder}/absent.key cannot be read`),
      expect.stringContaining(
        `${file}:10:46: service.pipelines.events.receivers[1]: service::pipelines::events: refer`,
      ),
    ]);
  });

  it('does not check the machine without start checks', async () => {
    const text = GOOD.replace('{ store: }', '{ store: { directory: /dev/null/x } }');
    expect(await validate(text)).toMatchObject({ code: 0, stdout: 'configuration is valid\n', stderr: '' });
    expect(await validate(text, WITHOUT_METRICS, 'receivers.events.endpoint=localhost:0')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('exporters.store.directory: '),
    });
  });
});
