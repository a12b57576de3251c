import { type AddressInfo, createServer, type Server } from 'node:net';
import { pino } from 'pino';
import { sendJson } from '../../../../collector/http/messages/respond.js';
import { createDrainDeadline } from '../../../../collector/http/server/drain-deadline.js';
import { createRouter } from '../../../../collector/http/server/express-app.js';
import type { HttpMount } from '../../../../collector/http/server/http-mount.js';
import { createServerPool, type ReloadableServerPool } from '../../../../collector/http/server/server-pool.js';
import type { Fault } from '../../../../core/event/fault.js';
import { waitFor } from '../../../helpers/wait-for.js';
import { openRawConnection } from '../../raw-connection.js';

let pool: ReloadableServerPool;
let mounts: HttpMount[];

beforeEach(() => {
  mounts = [];
  pool = poolWith(60_000);
});
afterEach(() => Promise.all(mounts.map((mount) => mount.close())));

function poolWith(drainMs: number): ReloadableServerPool {
  const open = createServerPool({ drain: createDrainDeadline(drainMs), logger: pino({ level: 'silent' }) });
  return {
    ...open,
    mount(endpoint, options) {
      const mount = open.mount(endpoint, options);
      mounts.push(mount);
      return mount;
    },
  };
}

function hotMount(component: string, path: string, endpoint = '127.0.0.1:0', allowedHosts: string[] = []): HttpMount {
  const mount = pool.mount(endpoint, { component, allowedHosts });
  mount.route('POST', path, { kind: 'open' }, async (_request, response) =>
    sendJson(response, 200, `{"from":"${component}"}`),
  );
  return mount;
}

function mountedRouter(component: string, prefix: string, endpoint = '127.0.0.1:0'): HttpMount {
  const mount = pool.mount(endpoint, { component, allowedHosts: [] });
  const router = createRouter();
  router.get('/thing/:name', (request, response) => sendJson(response, 200, JSON.stringify(request.params)));
  mount.addRouter(prefix, { kind: 'open' }, async () => router);
  return mount;
}

async function statusAndCode(url: string, init?: RequestInit): Promise<[number, unknown]> {
  const response = await fetch(url, init);
  const body = (await response.json()) as { code?: unknown };
  return [response.status, body.code];
}

async function faultOf(promise: Promise<unknown>): Promise<Fault> {
  return promise.then(
    () => Promise.reject(new Error('no fault')),
    (fault: Fault) => fault,
  );
}

describe('components of one endpoint', () => {
  it('share one server, hot routes and routers side by side', async () => {
    const hot = hotMount('events', '/v1/events');
    const mounted = mountedRouter('query', '/api/v1');
    await mounted.open();
    await hot.open();
    expect(hot.url).toBe(mounted.url);
    expect(await (await fetch(`${hot.url}/v1/events`, { method: 'POST' })).json()).toEqual({ from: 'events' });
    expect(await (await fetch(`${hot.url}/api/v1/thing/a%2Fb`)).json()).toEqual({ name: 'a/b' });
  });

  it('respond with 503 while they are not open', async () => {
    const hot = hotMount('events', '/v1/events');
    const mounted = mountedRouter('query', '/api/v1');
    await mounted.open();
    const starting = await fetch(`${mounted.url}/v1/events`, { method: 'POST' });
    expect([starting.status, starting.headers.get('retry-after')]).toEqual([503, '1']);
    await hot.open();
    await hot.close();
    expect(await statusAndCode(`${mounted.url}/v1/events`, { method: 'POST' })).toEqual([503, 'COLLECTOR_STOPPING']);
    expect((await fetch(`${mounted.url}/api/v1/thing/x`)).status).toBe(200);
  });

  it('may not serve the same route', () => {
    hotMount('events', '/v1/events');
    expect(() => hotMount('events/second', '/v1/events')).toThrow(expect.objectContaining({ code: 'ROUTE_TAKEN' }));
    expect(() => hotMount('events/third', '/v1/events', '127.0.0.2:0')).not.toThrow();
  });
});

describe('a route without an access rule', () => {
  const handler = async () => undefined;
  const fault = (route: string) =>
    expect.objectContaining({
      code: 'ROUTE_WITHOUT_ACCESS',
      message: expect.stringMatching(new RegExp(`^events .*${route}`)),
    });

  it('is a type error, and keeps its component from starting', () => {
    const mount = pool.mount('127.0.0.1:0', { component: 'events', allowedHosts: [] });
    // @ts-expect-error As JavaScript would call it.
    expect(() => mount.route('POST', '/v1/other', handler)).toThrow(fault('POST /v1/other'));
    // @ts-expect-error As JavaScript would call it.
    expect(() => mount.addRouter('/other', handler)).toThrow(fault('/other'));
    for (const access of [
      undefined,
      null,
      {},
      { kind: 'none' },
      { kind: 'token', scope: 'ingest' },
      { kind: 'local' },
    ]) {
      // @ts-expect-error Of no kind.
      expect(() => mount.route('POST', '/v1/other', access, handler)).toThrow(fault('POST /v1/other'));
    }
  });
});

describe('an unknown request', () => {
  it('gets 404 for a path and 405 with Allow for a method', async () => {
    const mount = hotMount('events', '/v1/events');
    await mount.open();
    expect(await statusAndCode(`${mount.url}/v1/other`)).toEqual([404, 'PATH_NOT_FOUND']);
    expect(await statusAndCode(`${mount.url}/v1/events/`, { method: 'POST' })).toEqual([404, 'PATH_NOT_FOUND']);
    expect(await statusAndCode(`${mount.url}/V1/EVENTS`, { method: 'POST' })).toEqual([404, 'PATH_NOT_FOUND']);
    const response = await fetch(`${mount.url}/v1/events`);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    expect(await response.json()).toMatchObject({ code: 'METHOD_NOT_ALLOWED' });
  });

  it('gets 400 if its path cannot be decoded', async () => {
    const mount = mountedRouter('query', '/api/v1');
    await mount.open();
    expect(await statusAndCode(`${mount.url}/api/v1/thing/%zz`)).toEqual([400, 'REQUEST_TARGET_INVALID']);
  });

  it('reveals nothing about the components', async () => {
    const mount = mountedRouter('query', '/api/v1');
    await mount.open();
    const response = await fetch(`${mount.url}/api/v1/nothing`);
    expect(response.headers.get('x-powered-by')).toBeNull();
    expect(response.headers.get('etag')).toBeNull();
  });

  it.each([
    ['a request that is not HTTP', 'hello\r\n\r\n', /^HTTP\/1\.1 400 /],
    ['a request without host', 'GET / HTTP/1.1\r\n\r\n', /^HTTP\/1\.1 400 /],
    [
      'headers without end',
      `GET / HTTP/1.1\r\nhost: localhost\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
      /^HTTP\/1\.1 431 /,
    ],
    [
      'a target in no form',
      'OPTIONS * HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n',
      /REQUEST_TARGET_INVALID/,
    ],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
      /^HTTP\/1\.1 400 /,
    ],
  ])('as %s ends its own connection only', async (_, text, expected) => {
    const mount = hotMount('events', '/v1/events');
    await mount.open();
    const connection = await openRawConnection(Number(new URL(mount.url).port));
    connection.write(text);
    expect(await connection.untilClosed()).toMatch(expected);
    expect((await fetch(`${mount.url}/v1/events`, { method: 'POST' })).status).toBe(200);
  });
});

describe('a host', () => {
  async function statusFor(
    mount: HttpMount,
    host: string,
    target: string,
    method = 'POST',
  ): Promise<string | undefined> {
    const connection = await openRawConnection(Number(new URL(mount.url).port));
    connection.write(`${method} ${target} HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
    return (await connection.untilClosed()).split(' ')[1];
  }

  it.each([
    'localhost',
    'LocalHost:99',
    '127.0.0.1',
    '127.8.9.255:4318',
    '[::1]:1',
    'collector.internal',
    'Collector.Internal:80',
  ])('named %s is served', async (host) => {
    const mount = hotMount('events', '/v1/events', '127.0.0.1:0', ['Collector.internal']);
    await mount.open();
    expect(await statusFor(mount, host, '/v1/events')).toBe('200');
  });

  it.each([
    'evil.example',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '127.0.0.256',
    '10.0.0.1',
    '[::2]',
    'localhost:1:2',
    '',
  ])('named "%s" is refused, on hot routes, routers and unknown paths alike', async (host) => {
    const mount = hotMount('events', '/v1/events');
    const mounted = mountedRouter('query', '/api/v1');
    await mount.open();
    await mounted.open();
    expect(await statusFor(mount, host, '/v1/events')).toBe('403');
    expect(await statusFor(mount, host, '/v1/events', 'GET')).toBe('403');
    expect(await statusFor(mount, host, '/api/v1/thing/x', 'GET')).toBe('403');
    expect(await statusFor(mount, host, '/other', 'GET')).toBe('403');
  });

  it('is allowed for the component that names it only', async () => {
    const mount = hotMount('events', '/v1/events', '127.0.0.1:0', ['proxy']);
    const mounted = mountedRouter('query', '/api/v1');
    await mount.open();
    await mounted.open();
    expect(await statusFor(mount, 'proxy', '/v1/events')).toBe('200');
    expect(await statusFor(mount, 'proxy', '/api/v1/thing/x', 'GET')).toBe('403');
  });

  it('in an absolute target has priority over the header', async () => {
    const mount = hotMount('events', '/v1/events');
    await mount.open();
    expect(await statusFor(mount, 'evil.example', 'http://localhost/v1/events')).toBe('200');
    expect(await statusFor(mount, 'localhost', 'http://evil.example/v1/events')).toBe('403');
  });
});

describe('listening', () => {
  let holder: Server | undefined;
  afterEach(() => holder?.close());

  async function holdPort(host: string): Promise<number> {
    const server = createServer().listen(0, host);
    holder = server;
    await waitFor('the port', () => server.listening);
    return (server.address() as AddressInfo).port;
  }

  it('on localhost uses both loopback addresses, on one port', async () => {
    const mount = hotMount('events', '/v1/events', 'localhost:0');
    await mount.open();
    const port = Number(new URL(mount.url).port);
    expect(mount.url).toBe(`http://localhost:${port}`);
    for (const host of ['127.0.0.1', '::1']) {
      const connection = await openRawConnection(port, host);
      connection.write('POST /v1/events HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
      expect(await connection.untilClosed()).toContain('200 OK');
    }
  });

  it('on a used port fails with the endpoint and the next step', async () => {
    const port = await holdPort('127.0.0.1');
    const fault = await faultOf(hotMount('events', '/v1/events', `127.0.0.1:${port}`).open());
    expect(fault).toMatchObject({ code: 'LISTEN_FAILED' });
    expect(fault.message).toMatch(new RegExp(`127\\.0\\.0\\.1:${port}.*another process`));
  });

  it('on localhost fails if only one loopback address is free, and releases it', async () => {
    const port = await holdPort('::1');
    const mount = hotMount('events', '/v1/events', `localhost:${port}`);
    expect(await faultOf(mount.open())).toMatchObject({ code: 'LISTEN_FAILED' });
    await expect(openRawConnection(port, '127.0.0.1')).rejects.toThrow('ECONNREFUSED');
  });

  it('on an address of another machine fails', async () => {
    expect(await faultOf(hotMount('events', '/', '203.0.113.1:0').open())).toMatchObject({ code: 'LISTEN_FAILED' });
  });
});

describe('closing', () => {
  function slowMount(): { mount: HttpMount; isRequested: () => boolean; answer: () => void } {
    const mount = pool.mount('127.0.0.1:0', { component: 'slow', allowedHosts: [] });
    let answer: (() => void) | undefined;
    mount.route('GET', '/slow', { kind: 'open' }, async (_request, response) => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      sendJson(response, 200, '{}');
    });
    return { mount, isRequested: () => answer !== undefined, answer: () => answer?.() };
  }

  it('lets running requests finish, and asks them to close their connection', async () => {
    const { mount, isRequested, answer } = slowMount();
    await mount.open();
    const response = fetch(`${mount.url}/slow`);
    await waitFor('the request', isRequested);
    const closed = mount.close();
    answer();
    expect((await response).status).toBe(200);
    expect((await response).headers.get('connection')).toBe('close');
    await closed;
    await expect(fetch(`${mount.url}/slow`)).rejects.toThrow();
  });

  it('of one mount does not affect running requests of the others', async () => {
    const { mount, isRequested, answer } = slowMount();
    const other = hotMount('events', '/v1/events');
    await mount.open();
    await other.open();
    const response = fetch(`${mount.url}/slow`);
    await waitFor('the request', isRequested);
    const closed = Promise.all([mount.close(), other.close()]);
    answer();
    expect((await response).status).toBe(200);
    await closed;
  });

  it('accepts no further request on a connection with a running request', async () => {
    const { mount, isRequested, answer } = slowMount();
    await mount.open();
    const connection = await openRawConnection(Number(new URL(mount.url).port));
    connection.write('GET /slow HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await waitFor('the request', isRequested);
    const closed = mount.close();
    connection.write('GET /slow HTTP/1.1\r\nhost: localhost\r\n\r\n');
    answer();
    const received = await connection.untilClosed();
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
    expect(received).toMatch(/connection: close/i);
    await closed;
  });

  it('does not wait for queued responses of a broken connection', async () => {
    const { mount, isRequested } = slowMount();
    const hot = hotMount('events', '/v1/events');
    await mount.open();
    await hot.open();
    const connection = await openRawConnection(Number(new URL(mount.url).port));
    const request = 'POST /v1/events HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n';
    connection.write(`GET /slow HTTP/1.1\r\nhost: localhost\r\n\r\n${request.repeat(20)}`);
    await waitFor('the request', isRequested);
    connection.socket.destroy();
    await Promise.all([mount.close(), hot.close()]);
  });

  it('aborts requests that still run when the time is over', async () => {
    pool = poolWith(50);
    const { mount, isRequested } = slowMount();
    await mount.open();
    const response = fetch(`${mount.url}/slow`);
    response.catch(() => {});
    await waitFor('the request', isRequested);
    await mount.close();
    await expect(response).rejects.toThrow();
  });

  it('ends idle connections', async () => {
    const mount = hotMount('events', '/v1/events');
    await mount.open();
    const connection = await openRawConnection(Number(new URL(mount.url).port));
    connection.write('POST /v1/events HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n');
    await connection.receive(/\}$/);
    await mount.close();
    await connection.untilClosed();
  });

  it('may be repeated, and called before opening', async () => {
    const mount = hotMount('events', '/v1/events');
    await mount.close();
    await mount.close();
    const opened = hotMount('other', '/v1/other');
    await opened.open();
    await Promise.all([opened.close(), opened.close()]);
    expect(opened.isOpen).toBe(false);
  });
});

describe('a kept connection while the server closes', () => {
  it('gets 503 for a request that was already on its way, and is then closed', async () => {
    const hot = hotMount('events', '/v1/events');
    await hot.open();
    const connection = await openRawConnection(Number(new URL(hot.url).port));
    const request = 'POST /v1/events HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n';
    connection.write(request);
    await connection.receive(/"from":"events"/);
    const closed = hot.close();
    connection.write(request);
    const received = await connection.untilClosed();
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 503']);
    expect(received).toContain('"code":"COLLECTOR_STOPPING"');
    await closed;
  });

  it('is not waited for while it is idle', async () => {
    const hot = hotMount('events', '/v1/events');
    await hot.open();
    const connection = await openRawConnection(Number(new URL(hot.url).port));
    await hot.close();
    expect(await connection.untilClosed()).toBe('');
  });
});

describe('while the pipelines change', () => {
  it('requests wait for the mounts of the next pipelines, on kept connections and new ones, except for those of watchers', async () => {
    const before = hotMount('events', '/v1/events');
    await before.open();
    const { url } = before;
    const connection = await openRawConnection(Number(new URL(url).port));
    const request = 'POST /v1/events HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n';
    connection.write(request);
    await connection.receive(/"from":"events"/);
    pool.begin();
    const after = hotMount('after', '/v1/events');
    const watching = pool.mount('127.0.0.1:0', { component: 'health', allowedHosts: [], reportsHealth: true });
    watching.route('GET', '/health', { kind: 'open' }, async (_request, response) => sendJson(response, 200, '{}'));
    pool.cutOver();
    await before.close();
    connection.write(request);
    const answer = fetch(`${url}/v1/events`, { method: 'POST' });
    await watching.open();
    await after.open();
    expect((await fetch(`${url}/health`)).status).toBe(200);
    expect(await Promise.race([answer, Promise.resolve('waits')])).toBe('waits');
    await pool.release();
    expect(await (await answer).json()).toEqual({ from: 'after' });
    await connection.receive(/"from":"events".*"from":"after"/s);
    connection.socket.destroy();
  });

  it('an endpoint without a mount of the next pipelines responds with 503 and closes, and requests for abandoned pipelines are dropped', async () => {
    const before = hotMount('events', '/v1/events');
    await before.open();
    const { url } = before;
    pool.begin();
    hotMount('abandoned', '/v1/events');
    await pool.abandon();
    expect(await (await fetch(`${url}/v1/events`, { method: 'POST' })).json()).toEqual({ from: 'events' });
    const connection = await openRawConnection(Number(new URL(url).port));
    pool.begin();
    pool.cutOver();
    await before.close();
    connection.write('POST /v1/events HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n');
    await pool.release();
    expect(await connection.untilClosed()).toMatch(/^HTTP\/1\.1 503 .*COLLECTOR_STOPPING/s);
    await expect(fetch(`${url}/v1/events`)).rejects.toThrow();
  });
});

describe('a router that is loaded on demand', () => {
  function lateMount(): { mount: HttpMount; asked: () => number; load: (fail?: boolean) => void } {
    const mount = pool.mount('127.0.0.1:0', { component: 'query', allowedHosts: [] });
    let asked = 0;
    const waiting: ((fail: boolean) => void)[] = [];
    mount.addRouter('/api/v1', { kind: 'open' }, async () => {
      asked += 1;
      if (await new Promise<boolean>((resolve) => waiting.push(resolve))) throw new Error('no file could be opened');
      const router = createRouter();
      router.get('/thing/:name', (request, response) => sendJson(response, 200, JSON.stringify(request.params)));
      return router;
    });
    const load = (fail = false): void => {
      for (const resolve of waiting.splice(0)) resolve(fail);
    };
    return { mount, asked: () => asked, load };
  }

  it('is loaded once, at its first request; requests that arrive meanwhile wait for it', async () => {
    const { mount, asked, load } = lateMount();
    await mount.open();
    expect((await fetch(`${mount.url}/elsewhere`)).status).toBe(404);
    expect((await fetch(`${mount.url}/api/v12`)).status).toBe(404);
    expect(asked()).toBe(0);
    const responses = ['a', 'b'].map(async (name) => (await fetch(`${mount.url}/api/v1/thing/${name}`)).json());
    await waitFor('the router to be asked for', () => asked() === 1);
    load();
    expect(await Promise.all(responses)).toEqual([{ name: 'a' }, { name: 'b' }]);
    expect((await fetch(`${mount.url}/api/v1/nothing`)).status).toBe(404);
    expect(asked()).toBe(1);
  });

  it('is waited for by a mount that closes', async () => {
    const { mount, asked, load } = lateMount();
    await mount.open();
    const response = fetch(`${mount.url}/api/v1/thing/a`);
    await waitFor('the router to be asked for', () => asked() === 1);
    const closed = mount.close();
    load();
    expect(await (await response).json()).toEqual({ name: 'a' });
    await closed;
  });

  it('is loaded again by the next request if that failed', async () => {
    const { mount, asked, load } = lateMount();
    await mount.open();
    const failed = fetch(`${mount.url}/api/v1/thing/a`);
    await waitFor('the router to be asked for', () => asked() === 1);
    load(true);
    expect((await failed).status).toBe(500);
    const second = fetch(`${mount.url}/api/v1/thing/a`);
    await waitFor('the router to be asked for', () => asked() === 2);
    load();
    expect((await second).status).toBe(200);
  });
});
