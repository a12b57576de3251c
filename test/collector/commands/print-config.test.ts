import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runPrintConfig } from '../../../collector/commands/print-config.js';
import { loadConfig } from '../../../config/load-config.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';

afterAll(removeTemporaryFolders);

const TOKEN = 'hunter2hunter2hunter2';

/** Every setting that is secret, from the text, a variable and a file. */
const WITH_SECRETS = (folder: string) => `
receivers:
  events: { auth: { authenticator: bearertokenauth }, defaults: { app: a$$b } }
  sentry: { projects: { '1': { public_key: 0123456789abcdef } } }
exporters:
  store:
  otlp_http: { endpoint: "https://otel.example.com", headers: { authorization: "Bearer ${TOKEN}", x-team: "${TOKEN}" } }
  webhook: { endpoint: "https://hooks.example.com:8443/T000/${TOKEN}?x=1", signing_secret: "\${env:SECRET}" }
extensions:
  bearertokenauth: { token: "\${env:SECRET}", tokens: ["\${file:${folder}/token}", "${TOKEN}$$"] }
  query: { peers: ["http://gateway-1:4319"], peers_token: "\${env:SECRET}" }
service:
  extensions: [bearertokenauth, query]
  pipelines: { events: { receivers: [events, sentry], exporters: [store, otlp_http, webhook] } }
`;

interface Printed {
  code: number;
  stdout: string;
  stderr: string;
}

async function print(text: string | undefined, folder: string, extra: object = {}): Promise<Printed> {
  const written = { stdout: '', stderr: '' };
  const sink = (name: 'stdout' | 'stderr') => ({
    write: (part: string) => {
      written[name] += part;
    },
  });
  const file = join(folder, 'faultline.yaml');
  if (text !== undefined) await writeFile(file, text);
  const code = await runPrintConfig({
    config: text === undefined ? [] : [file],
    set: [],
    env: { SECRET: TOKEN },
    format: 'yaml',
    unredacted: false,
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    ...extra,
  });
  return { code, ...written };
}

async function folderWithToken(): Promise<string> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'token'), `${TOKEN}\n`);
  return folder;
}

describe('faultline print-config', () => {
  it('prints no secret from any source, but the public keys of projects', async () => {
    const folder = await folderWithToken();
    const { code, stdout, stderr } = await print(WITH_SECRETS(folder), folder);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).not.toContain('hunter2');
    expect(stdout).toContain('public_key: 0123456789abcdef');
    expect(stdout).toContain('endpoint: https://hooks.example.com:8443/[REDACTED]');
    expect(stdout.match(/\[REDACTED\]/g)).toHaveLength(8);
  });

  it('masks the query of a URL, which often has keys', async () => {
    const folder = await folderWithToken();
    const text = WITH_SECRETS(folder).replace('https://otel.example.com', `https://otel.example.com/v1?key=${TOKEN}`);
    const { code, stdout } = await print(text, folder);
    expect([code, stdout.includes('hunter2')]).toEqual([0, false]);
    expect(stdout).toContain('endpoint: https://otel.example.com/v1?[REDACTED]');
    expect((await print(text, folder, { unredacted: true })).stdout).toContain(`/v1?key=${TOKEN}`);
  });

  it('prints with --unredacted a configuration that loads to the same settings', async () => {
    const folder = await folderWithToken();
    const { stdout } = await print(WITH_SECRETS(folder), folder, { unredacted: true });
    const load = (text: string) =>
      loadConfig({
        files: [{ name: 'printed.yaml', text }],
        sets: [],
        env: { SECRET: TOKEN },
        readFile: () => ({ text: TOKEN }),
      });
    expect(load(stdout).settings).toEqual(load(WITH_SECRETS(folder)).settings);
    expect(stdout).toContain('app: a$$b');
  });

  it('prints the embedded default with every default and --set', async () => {
    const folder = await temporaryFolder();
    const { stdout } = await print(undefined, folder, { set: ['exporters.store.durability=os'] });
    const { settings } = loadConfig({ files: [{ name: 'printed.yaml', text: stdout }], sets: [], env: {} });
    expect(settings.exporters['store']).toMatchObject({ durability: 'os', checkpoint_interval: '5s' });
  });

  it('prints JSON with the effective values', async () => {
    const folder = await folderWithToken();
    const { stdout } = await print(WITH_SECRETS(folder), folder, { format: 'json' });
    expect(JSON.parse(stdout)).toMatchObject({
      receivers: { events: { defaults: { app: 'a$b' } } },
      extensions: { bearertokenauth: { scheme: 'Bearer', tokens: ['[REDACTED]', '[REDACTED]'] } },
    });
  });

  it('lists every problem of an invalid configuration', async () => {
    const folder = await temporaryFolder();
    const { code, stdout, stderr } = await print('receivers: { evnts: }\n', folder);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('faultline.yaml:1:14: receivers.evnts: unknown type');
  });
});
