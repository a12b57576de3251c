import { type AddressInfo, createServer } from 'node:net';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';
import { openRawConnection, rawPost } from '../raw-connection.js';
import { type RunningService, settingsFor, startService, stopServices } from '../running-service.js';

afterAll(removeTemporaryFolders);

/** Starts a collector whose receiver and reading API share an endpoint on localhost. */
async function start(...sets: string[]): Promise<RunningService> {
  return await startService(settingsFor(await temporaryFolder(), 'receivers.events.endpoint=localhost:0', ...sets));
}

function portOf({ eventsUrl }: RunningService): number {
  return Number(new URL(eventsUrl).port);
}

/** The status of a request under a host. */
async function statusFor(running: RunningService, host: string, target: string, method = 'POST'): Promise<string> {
  const connection = await openRawConnection(portOf(running));
  connection.write(`${method} ${target} HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 2\r\nconnection: close\r\n\r\n[]`);
  return (await connection.untilClosed()).split(' ')[1] ?? '';
}

describe('an endpoint of several components', () => {
  let running: RunningService;
  beforeAll(async () => {
    running = await start('receivers.events.allowed_hosts=[Collector.internal]');
  });
  afterAll(stopServices);

  it('has one address, and both loopback addresses on one port', async () => {
    const port = portOf(running);
    expect(new URL(running.apiUrl).host).toBe(`localhost:${port}`);
    for (const host of ['127.0.0.1', '::1']) {
      const connection = await openRawConnection(port, host);
      connection.write(rawPost('[]', ['connection: close']));
      expect(await connection.untilClosed()).toContain('200 OK');
    }
  });

  it.each([
    ['GET', '/v1/other', 404, 'PATH_NOT_FOUND'],
    ['POST', '/v1/events/', 404, 'PATH_NOT_FOUND'],
    ['POST', '/V1/EVENTS', 404, 'PATH_NOT_FOUND'],
    ['GET', '/api/v12', 404, 'PATH_NOT_FOUND'],
    ['GET', '/v1/events', 405, 'METHOD_NOT_ALLOWED'],
    ['GET', '/api/v1/issues/%zz', 400, 'REQUEST_TARGET_INVALID'],
  ])('responds to %s %s with %i', async (method, path, status, code) => {
    const response = await fetch(new URL(path, running.eventsUrl), { method });
    const body = (await response.json()) as { code: string };
    expect([response.status, body.code]).toEqual([status, code]);
    expect(response.headers.get('allow')).toBe(status === 405 ? 'POST' : null);
    for (const header of ['x-powered-by', 'etag', 'server']) expect(response.headers.get(header)).toBeNull();
  });

  it.each(['localhost', 'LocalHost:99', '127.0.0.1', '127.8.9.255:4318', '[::1]:1'])(
    'is served under the name %s',
    async (host) => {
      expect(await statusFor(running, host, '/v1/events')).toBe('200');
      expect(await statusFor(running, host, '/api/v1/issues', 'GET')).toBe('200');
    },
  );

  it.each([
    'evil.example',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'notlocalhost',
    '127.0.0.256',
    '[::2]',
    'localhost:1:2',
  ])('is refused under the name %s, whatever is asked for', async (host) => {
    expect(await statusFor(running, host, '/v1/events')).toBe('403');
    expect(await statusFor(running, host, '/v1/events', 'GET')).toBe('403');
    expect(await statusFor(running, host, '/api/v1/issues', 'GET')).toBe('403');
    expect(await statusFor(running, host, '/other', 'GET')).toBe('403');
  });

  it('is served under a name that a component allows, by that component only', async () => {
    expect(await statusFor(running, 'collector.internal:80', '/v1/events')).toBe('200');
    expect(await statusFor(running, 'Collector.Internal', '/api/v1/issues', 'GET')).toBe('403');
  });
});

describe('a collector does not start', () => {
  afterEach(stopServices);

  it('if only one loopback address of localhost is free, and releases that', async () => {
    const holder = createServer().listen(0, '::1');
    await waitFor('the port', () => holder.listening);
    const { port } = holder.address() as AddressInfo;
    await expect(start(`receivers.events.endpoint=localhost:${port}`)).rejects.toMatchObject({
      code: 'LISTEN_FAILED',
      message: expect.stringMatching(new RegExp(`localhost:${port}.*another process`)),
    });
    await expect(openRawConnection(port, '127.0.0.1')).rejects.toThrow('ECONNREFUSED');
    holder.close();
  });

  it('on an address of another machine', async () => {
    const sets = ['receivers.events.endpoint=203.0.113.1:0', 'receivers.events.allow_without_token=true'];
    await expect(start(...sets)).rejects.toMatchObject({ code: 'LISTEN_FAILED' });
  });
});

describe('a collector that stops', () => {
  afterEach(stopServices);
  const REQUEST = rawPost('[]');

  it('lets a running request finish, takes no further one on its connection, and then accepts none', async () => {
    const running = await start();
    const connection = await openRawConnection(portOf(running));
    connection.write(REQUEST.slice(0, -1));
    await waitFor('the request to be open', async () => (await fetch(`${running.apiUrl}/issues`)).ok);
    const stopped = running.service.shutdown();
    connection.write(REQUEST.slice(-1) + REQUEST);
    const received = await connection.untilClosed();
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
    expect(received).toMatch(/connection: close/i);
    await stopped;
    await expect(openRawConnection(portOf(running))).rejects.toThrow('ECONNREFUSED');
  });

  it('closes idle connections, and does not wait for them', async () => {
    const running = await start();
    const used = await openRawConnection(portOf(running));
    used.write(REQUEST);
    await used.receive(/200 OK.*\}$/s);
    const unused = await openRawConnection(portOf(running));
    await running.service.shutdown();
    expect((await used.untilClosed()).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
    expect(await unused.untilClosed()).toBe('');
  });
});
