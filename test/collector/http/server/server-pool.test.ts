import { pino } from 'pino';
import { sendJson } from '../../../../collector/http/messages/respond.js';
import { createDrainDeadline } from '../../../../collector/http/server/drain-deadline.js';
import { createRouter } from '../../../../collector/http/server/express-app.js';
import type { HttpMount } from '../../../../collector/http/server/http-mount.js';
import { createServerPool, type ReloadableServerPool } from '../../../../collector/http/server/server-pool.js';
import { waitFor } from '../../../helpers/wait-for.js';
import { openRawConnection } from '../../raw-connection.js';

let pool: ReloadableServerPool;
let mounts: HttpMount[];

beforeEach(() => {
  mounts = [];
  const open = createServerPool({ drain: createDrainDeadline(60_000), logger: pino({ level: 'silent' }) });
  pool = {
    ...open,
    mount(endpoint, options) {
      const mount = open.mount(endpoint, options);
      mounts.push(mount);
      return mount;
    },
  };
});
afterEach(() => Promise.all(mounts.map((mount) => mount.close())));

function hotMount(component: string, path: string): HttpMount {
  const mount = pool.mount('127.0.0.1:0', { component, allowedHosts: [] });
  mount.route('POST', path, { kind: 'open' }, async (_request, response) =>
    sendJson(response, 200, `{"from":"${component}"}`),
  );
  return mount;
}

function mountedRouter(component: string, prefix: string): HttpMount {
  const mount = pool.mount('127.0.0.1:0', { component, allowedHosts: [] });
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

describe('components of one endpoint', () => {
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
