import { request } from 'node:http';
import { createServer } from 'node:net';
import { pino } from 'pino';
import { Service } from '../../../collector/service/service.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';
import { openRawConnection } from '../raw-connection.js';
import { settingsFor } from '../running-service.js';

const stops: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});
afterAll(removeTemporaryFolders);

async function build(port = 0, options: { toleratesTakenPorts?: boolean } = {}) {
  const settings = settingsFor(
    await temporaryFolder(),
    `extensions.health_check.endpoint=127.0.0.1:${port}`,
    'service.extensions=[query, health_check]',
  );
  const service = new Service(settings, { logger: pino({ level: 'silent' }), ...options });
  return { service };
}

/** Starts a collector with a health check on a free port; the test stops it. */
async function start() {
  const { service } = await build();
  await service.start();
  const { url = '' } = service.describe().extensions.find(({ id }) => id === 'health_check') ?? {};
  const { origin } = new URL(url);
  const getHealth = async (path: string): Promise<number | undefined> =>
    await fetch(`${origin}${path}`, { headers: { connection: 'close' } }).then(
      (response) => response.status,
      () => undefined,
    );
  return { service, origin, getHealth };
}

describe('the health of a collector', () => {
  it('is served to probes and people, and not to web pages', async () => {
    const { service, origin } = await start();
    stops.push(() => service.shutdown());
    const statusFor = (headers: Record<string, string>) =>
      new Promise((resolve, reject) => {
        const asked = request(origin, { headers }, (response) => resolve(response.resume().statusCode));
        asked.on('error', reject).end();
      });
    expect(await statusFor({ host: 'localhost', 'user-agent': 'kube-probe/1.33' })).toBe(200);
    expect(await statusFor({ 'sec-fetch-site': 'none' })).toBe(200);
    expect(await statusFor({ origin: 'https://evil.example.com' })).toBe(403);
    expect(await statusFor({ 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await statusFor({ host: 'evil.example.com' })).toBe(403);
  });

  it('is served once it has started, with every component', async () => {
    const { service, origin, getHealth } = await start();
    stops.push(() => service.shutdown());
    expect([await getHealth('/'), await getHealth('/live'), await getHealth('/status')]).toEqual([200, 200, 200]);
    const body: unknown = await (await fetch(`${origin}/status?verbose`)).json();
    const healthy = { healthy: true, status: 'StatusOK', status_time: expect.any(String) };
    expect(body).toEqual({
      start_time: expect.any(String),
      ...healthy,
      components: {
        extensions: { ...healthy, components: { 'extension:query': healthy, 'extension:health_check': healthy } },
        'pipeline:events': {
          ...healthy,
          components: { 'receiver:events': healthy, 'processor:memory_limiter': healthy, 'exporter:store': healthy },
        },
      },
    });
  });

  it('is alive and not ready while the collector drains', async () => {
    const { service, getHealth } = await start();
    const [events] = service.describe().receivers;
    // A body without an end delays the drain for half of its time.
    const connection = await openRawConnection(Number(new URL(events?.url ?? '').port));
    connection.write(
      'POST /v1/events HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n[',
    );
    await waitFor('the request to arrive', async () => (await getHealth('/')) === 200);
    const stopped = service.shutdown();
    await waitFor('the end of readiness', async () => (await getHealth('/')) === 503);
    expect(await getHealth('/live')).toBe(200);
    await stopped;
    expect(await getHealth('/live')).toBeUndefined();
  });

  it('can be missing if another process uses its port and the setting allows that', async () => {
    const usedPort = createServer();
    await new Promise<void>((resolve) => usedPort.listen(0, '127.0.0.1', resolve));
    stops.push(() => new Promise((resolve) => usedPort.close(resolve)));
    const address = usedPort.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const refused = await build(port);
    await expect(refused.service.start()).rejects.toMatchObject({
      code: 'LISTEN_FAILED',
      message: expect.stringContaining('extensions.health_check.endpoint'),
    });
    const { service } = await build(port, { toleratesTakenPorts: true });
    await service.start();
    stops.push(() => service.shutdown());
    expect(service.describe().extensions.map(({ id }) => id)).toEqual(['query']);
  });
});
