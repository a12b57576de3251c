import { createSocket } from 'node:dgram';
import { copyFile, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { serverPayload } from '../../helpers/payloads.js';
import { storedPayloads } from '../../helpers/stored-payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';
import { CollectHere, stopCollectors } from '../commands/collect-here.js';
import { post } from '../post.js';

const NAMES = ['tenant-owner', 'syslog', 'file-per-service', 'alertmanager'];
const TOKEN = '0123456789abcdef';

let folder = '';

beforeEach(async () => {
  folder = await temporaryFolder();
  for (const name of NAMES) await copyFile(join('docs/plugins', `${name}.mjs`), join(folder, `${name}.mjs`));
  // Where a plugin finds `express`.
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
});
afterAll(async () => {
  await stopCollectors();
  await removeTemporaryFolders();
});

/** Configures a collector with one component of an example; its files are in the folder. */
async function configure(
  plugin: string,
  part: { receiver?: string; processor?: string; exporter?: string },
): Promise<void> {
  const { receiver = '', processor = '', exporter = '' } = part;
  const idOf = (text: string): string[] => (text === '' ? [] : [text.slice(0, text.indexOf(':'))]);
  const config = `
plugins: [./${plugin}.mjs]
receivers: { events: { endpoint: 127.0.0.1:0 }, ${receiver} }
processors: { ${processor} }
exporters: { store: { directory: ${folder}/data }, ${exporter} }
extensions: { bearertokenauth: { token: ${TOKEN} } }
service:
  extensions: [bearertokenauth]
  telemetry: { metrics: { level: none } }
  pipelines:
    events: { receivers: [${['events', ...idOf(receiver)]}], processors: [${idOf(processor)}], exporters: [${['store', ...idOf(exporter)]}] }
`;
  await writeFile(join(folder, 'faultline.yaml'), config);
}

async function collect(...parts: Parameters<typeof configure>) {
  await configure(...parts);
  const running = new CollectHere({ config: [join(folder, 'faultline.yaml')] });
  const url = await running.ingestUrl();
  const send = async (...payloads: Parameters<typeof serverPayload>[0][]) => {
    const body = payloads.map((payload) => JSON.stringify(serverPayload(payload))).join('\n');
    const { status } = await post(`${url}/v1/events`, body, { 'content-type': 'application/x-ndjson' });
    expect(status).toBe(200);
  };
  return { running, send };
}

it.each(NAMES)('%s.mjs has fewer than 60 lines', async (name) => {
  expect((await readFile(join('docs/plugins', `${name}.mjs`), 'utf8')).split('\n').length).toBeLessThanOrEqual(60);
});

describe('tenant_owner', () => {
  it('sets the team of the last rule that matches the route or a path of the stack', async () => {
    const rules = ['# owners', '* platform', '/api/cart shop  # the cart', 'src/pay/*.js pay', ''];
    const owners = join(folder, 'OWNERS');
    await writeFile(owners, rules.join('\n'));
    const { running, send } = await collect('tenant-owner', {
      processor: `tenant_owner: { file: ${owners}, tag: owner }`,
    });
    const paid = 'Error: x\n    at f (/srv/src/pay/card.js:1:2)';
    await send(
      { message: 'route', route: '/api/cart/lines', stack: null },
      { message: 'stack', route: '/api/cart', stack: paid },
      { message: 'other', route: '/x', stack: null, tags: { owner: 'sent', a: 'b' } },
    );
    await running.stop();
    const stored = await storedPayloads(join(folder, 'data'));
    expect(stored.map(({ message, tags }) => [message, Object(tags).owner])).toEqual([
      ['route', 'shop'],
      ['stack', 'pay'],
      ['other', 'platform'],
    ]);
    expect(stored[2]?.['tags']).toEqual({ owner: 'platform', a: 'b' });
  });

  it.each([
    ['a line that is wrong', '* a\nno\n', 'line 2: expected "pattern team", found 1 words'],
    ['no file', undefined, 'ENOENT'],
  ])('does not start with %s', async (_, rules, problem) => {
    if (rules !== undefined) await writeFile(join(folder, 'OWNERS'), rules);
    await configure('tenant-owner', { processor: `tenant_owner: { file: ${folder}/OWNERS }` });
    const { finished, stderr } = new CollectHere({ config: [join(folder, 'faultline.yaml')] });
    expect(await finished).toBe(1);
    expect(stderr.text).toContain(`processor tenant_owner did not start: `);
    expect(stderr.text).toContain(problem);
  });
});

describe('syslog', () => {
  it('stores messages of both forms, and text in none, as it is', async () => {
    const { running } = await collect('syslog', { receiver: 'syslog: { endpoint: "127.0.0.1:0", app: hosts }' });
    const port = Number(/udp:\/\/127\.0\.0\.1:(\d+)/.exec(running.stdout.text)?.[1]);
    const socket = createSocket('udp4');
    const datagrams = [
      '<34>1 2026-01-02T03:04:05.678Z web-1 sshd 77 ID1 [x@1 a="b"] login refused',
      '<11>Oct 11 22:14:15 web-2 cron[12]: job failed',
      '<14>1 2026-01-02T03:04:05Z web-1 sshd 77 ID1 - only information',
      'no syslog \u001b[2J',
      '<999>',
      '',
      'x'.repeat(60_000),
      Buffer.from([0xff, 0xfe, 0x00]),
    ];
    for (const datagram of datagrams) socket.send(datagram, port, '127.0.0.1');
    const stored = await waitFor('the events', async () => {
      const payloads = await storedPayloads(join(folder, 'data'));
      return payloads.length === datagrams.length - 2 && payloads;
    });
    socket.close();
    expect(await running.stop()).toBe(0);
    const byService = (name: string) => stored.filter(({ service }) => service === name);
    expect(byService('sshd')).toMatchObject([
      {
        app: 'hosts',
        level: 'fatal',
        message: 'login refused',
        timestamp: '2026-01-02T03:04:05.678Z',
        tags: { host: 'web-1' },
      },
    ]);
    expect(byService('cron')).toMatchObject([
      { level: 'error', message: 'job failed', timestamp: null, tags: { host: 'web-2' } },
    ]);
    expect(
      byService('syslog')
        .map(({ message }) => String(message).slice(0, 20))
        .sort(),
    ).toEqual(['', 'no syslog \u001b[2J', 'x'.repeat(20), '\ufffd\ufffd\u0000'].sort());
  });
});

describe('file_per_service', () => {
  it('appends each event to the file of its service, whatever the service is called', async () => {
    const exporter = `file_per_service: { directory: ${folder}/out, sending_queue: { start_at: beginning, flush_interval: 10ms } }`;
    const { running, send } = await collect('file-per-service', { exporter });
    const services = ['api', '../../escaped', 'a/b', 'é \u0000', 'x'.repeat(300), '.'];
    await send(...services.map((service) => ({ service })), { service: 'api', message: 'second' });
    const lines = await waitFor('the files', async () => {
      const names = await readdir(join(folder, 'out')).catch(() => []);
      const texts = await Promise.all(names.map((name) => readFile(join(folder, 'out', name), 'utf8')));
      const all = texts.flatMap((text) =>
        text
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line)),
      );
      return all.length === services.length + 1 && all;
    });
    expect(await running.stop()).toBe(0);
    expect(lines.map(({ service }) => service).sort()).toEqual([...services, 'api'].sort());
    const names = await readdir(join(folder, 'out'));
    expect(names.toSorted()).toEqual(
      ['api', '%2e%2e%2f%2e%2e%2fescaped', 'a%2fb', '%c3%a9%20%00', 'x'.repeat(60), '%2e']
        .map((name) => `${name}.ndjson`)
        .sort(),
    );
    const messages = lines.flatMap(({ service, message }) => (service === 'api' ? [message] : []));
    expect(messages.at(-1)).toBe('second');
    expect(names.every((name) => basename(name) === name)).toBe(true);
  });
});

describe('alertmanager', () => {
  const FIRING = {
    status: 'firing',
    labels: { alertname: 'HighLatency', severity: 'critical', job: 'api', instance: 'a:9100' },
    annotations: { summary: 'p99 over 2 s' },
    startsAt: '2026-11-28T10:00:00.000Z',
    endsAt: '0001-01-01T00:00:00Z',
    generatorURL: 'http://prometheus/graph',
    fingerprint: 'aa',
  };

  /** Receives alerts at the endpoint of `events`. */
  async function receive(processor = '') {
    const receiver = 'alertmanager: { endpoint: 127.0.0.1:0, authenticator: bearertokenauth, app: infra }';
    const { running } = await collect('alertmanager', { receiver, processor });
    const url = `${await running.ingestUrl()}/alertmanager`;
    const notify = (body: string, headers: Record<string, string> = {}) =>
      fetch(url, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}`, ...headers },
      });
    return { running, url, notify };
  }

  it('stores each firing alert as an event', async () => {
    const { running, notify } = await receive();
    const alerts = [FIRING, { ...FIRING, status: 'resolved' }, { labels: { alertname: 'Watchdog' } }];
    const response = await notify(JSON.stringify({ version: '4', alerts }));
    expect([response.status, await response.json()]).toEqual([200, { received: 3, stored: 2 }]);
    await running.stop();
    const stored = await storedPayloads(join(folder, 'data'));
    const byName = (name: string) => stored.find(({ error_name }) => error_name === name);
    expect(stored).toHaveLength(2);
    expect(byName('HighLatency')).toMatchObject({
      ...{ app: 'infra', service: 'api', env: 'production', message: 'p99 over 2 s', level: 'critical' },
      ...{ timestamp: FIRING.startsAt, tags: FIRING.labels },
      extra: { annotations: FIRING.annotations, generator_url: FIRING.generatorURL },
    });
    expect(byName('Watchdog')).toMatchObject({ service: 'alertmanager', message: 'Watchdog', level: 'error' });
  });

  it('refuses a caller without the token, and stores nothing', async () => {
    const { running, notify } = await receive();
    for (const authorization of ['', 'Bearer wrong']) {
      const response = await notify(JSON.stringify({ alerts: [FIRING] }), { authorization });
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ code: expect.stringMatching(/^TOKEN_/) });
    }
    await running.stop();
    expect(await storedPayloads(join(folder, 'data'))).toEqual([]);
  });

  it.each([
    ['no JSON', '{"alerts"', {}, 400],
    ['no list', '{"alerts":{}}', {}, 400],
    ['no labels', '{"alerts":[{"labels":null}]}', {}, 400],
    ['another content type', '{"alerts":[]}', { 'content-type': 'text/plain' }, 400],
    ['too much', `{"alerts":"${'x'.repeat(1_100_000)}"}`, {}, 413],
    ['an unknown encoding', '{"alerts":[]}', { 'content-encoding': 'zstd' }, 415],
  ])('says what is wrong with %s', async (_, body, headers, status) => {
    const { running, notify } = await receive();
    const response = await notify(body, headers);
    expect(response.status).toBe(status);
    const { error } = (await response.json()) as { error: string };
    expect(error).toMatch(status === 400 ? /^send the webhook of Alertmanager/ : /too large|unsupported/);
    expect(running.stderr.text).not.toContain('a request failed');
  });

  it('asks for the alerts again if they are not stored', async () => {
    const refusing = `
      const create = () => ({ consume: async () => { throw new Error('not now'); } });
      export const processors = { refusing: { description: 'Refuses.', stability: 'alpha', schema: { type: 'object' }, create } };
    `;
    await writeFile(
      join(folder, 'alertmanager.mjs'),
      (await readFile(join(folder, 'alertmanager.mjs'), 'utf8')) + refusing,
    );
    const { notify } = await receive('refusing: {}');
    const response = await notify(JSON.stringify({ alerts: [FIRING] }));
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await response.json()).toEqual({ error: 'not stored: PLUGIN_FAILED' });
  });

  it('refuses other methods and leaves the path of events alone', async () => {
    const { running, url } = await receive();
    const response = await fetch(url);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    const sent = await post(await running.eventsUrl(), JSON.stringify(serverPayload()));
    expect(sent.status).toBe(200);
  });
});
