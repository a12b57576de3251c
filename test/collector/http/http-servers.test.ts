import express, { type Router } from 'express';
import { pino } from 'pino';
import type { EndpointRoutes } from '../../../collector/http/endpoint-routes.js';
import { createCorsPolicy } from '../../../collector/http/endpoints/cors-policy.js';
import type { HttpServers } from '../../../collector/http/http-servers.js';
import { sendJson } from '../../../collector/http/messages/respond.js';
import { allow } from '../../../collector/http/middleware/allow.js';
import type { ServedRoutes } from '../../../collector/http/served-routes.js';
import { DEFAULT_CONNECTIONS } from '../../../generated/default-connections.js';
import { waitFor } from '../../helpers/wait-for.js';
import { openRawConnection } from '../raw-connection.js';
import { createServers } from '../serve-components.js';
import { tlsFile } from './tls-connection.js';

const ENDPOINT = '127.0.0.1:0';
const OPEN = allow({ kind: 'open' });
let servers: HttpServers;

beforeEach(() => {
  servers = createServers({ logger: pino({ level: 'silent' }) }, 60_000);
});
afterEach(() => servers.close());

const url = () => servers.urlOf(ENDPOINT) ?? '';

function attach(component: string, router: Router, more: Partial<EndpointRoutes> = {}): ServedRoutes {
  return servers.attach(component, { endpoint: ENDPOINT, router, ...more });
}

/** Answers a path with the name of its component. */
function naming(component: string, path: string): ServedRoutes {
  const router = express.Router();
  router.post(path, ...OPEN, (_request, response) => sendJson(response, 200, `{"from":"${component}"}`));
  return attach(component, router);
}

function things(): ServedRoutes {
  const router = express.Router();
  router.get('/api/v1/thing/:name', ...OPEN, ({ params }, response) => sendJson(response, 200, JSON.stringify(params)));
  return attach('query', router);
}

async function statusAndCode(address: string, init?: RequestInit): Promise<[number, unknown]> {
  const response = await fetch(address, init);
  const body = (await response.json()) as { code?: unknown };
  return [response.status, body.code];
}

describe('components of one endpoint', () => {
  it('respond with 503 while they are not open', async () => {
    const [events, query] = [naming('events', '/v1/events'), things()];
    servers.serve([events, query]);
    await query.open();
    const starting = await fetch(`${url()}/v1/events`, { method: 'POST' });
    expect([starting.status, starting.headers.get('retry-after')]).toEqual([503, '1']);
    await events.open();
    await events.close();
    expect(await statusAndCode(`${url()}/v1/events`, { method: 'POST' })).toEqual([503, 'COLLECTOR_STOPPING']);
    expect((await fetch(`${url()}/api/v1/thing/x`)).status).toBe(200);
  });

  it('refuse the other methods of a path with all that any of them serves', async () => {
    const other = express.Router();
    other.get('/v1/events', ...OPEN, (_request, response) => sendJson(response, 200, '{}'));
    const both = [naming('events', '/v1/events'), attach('other', other)];
    servers.serve(both);
    for (const one of both) await one.open();
    const { status, headers } = await fetch(`${url()}/v1/events`, { method: 'DELETE' });
    expect([status, headers.get('allow')]).toEqual([405, 'POST, GET, HEAD']);
  });
});

describe('an endpoint with TLS', () => {
  it('never listens without it, also if a component without TLS settings opens first', async () => {
    const connections = DEFAULT_CONNECTIONS;
    const tls = {
      cert_file: tlsFile('server.pem'),
      key_file: tlsFile('server-key.pem'),
      min_version: '1.2',
      reload_interval: '0s',
    } as const;
    const router = express.Router();
    router.get('/metrics', ...OPEN, (_request, response) => sendJson(response, 200, '{}'));
    const [metrics, events] = [
      attach('metrics', router),
      attach('events', express.Router(), { transport: { tls, connections } }),
    ];
    servers.serve([metrics, events]);
    await metrics.open();
    const plain = await fetch(`${url().replace('https', 'http')}/metrics`);
    expect([plain.status, await plain.json()]).toEqual([400, expect.objectContaining({ code: 'HTTPS_REQUIRED' })]);
    await events.open();
  });
});

describe('an unknown path', () => {
  beforeEach(async () => {
    const all = [naming('events', '/v1/events'), things()];
    servers.serve(all);
    for (const one of all) await one.open();
  });

  it.each([
    ['/v1/event', '/v1/events'],
    ['/v1/events/', '/v1/events'],
    ['/V1/EVENTS', '/v1/events'],
    ['/api/v1/thing/', '/api/v1/thing/{name}'],
    ['/api/v1/things/a', '/api/v1/thing/{name}'],
    [`/api/v1/thingy/${'b'.repeat(40)}`, '/api/v1/thing/{name}'],
    [`/api/v1/thing/${'c/'.repeat(6_000)}`, '/api/v1/thing/{name}'],
  ])('%s is answered with the nearest known one, %s', async (path, nearest) => {
    const response = await fetch(url() + path);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect([response.status, await response.json()]).toEqual([
      404,
      expect.objectContaining({ code: 'PATH_NOT_FOUND', detail: expect.stringContaining(nearest), nearest }),
    ]);
  });
});

describe('a preflight', () => {
  it('is answered by the component whose route it asks about, if two share a path', async () => {
    const allowed_origins = ['https://page.example'];
    const cors = createCorsPolicy(
      { allowed_origins, allowed_headers: [], max_age: '1h' },
      { headers: [], exposed: [] },
    );
    const [first, second] = [express.Router(), express.Router()];
    first.get('/both', ...OPEN, (_request, response) => sendJson(response, 200, '{}'));
    second.post('/both', ...allow({ kind: 'open', cors }), (_request, response) => sendJson(response, 200, '{}'));
    const both = [attach('first', first), attach('second', second)];
    servers.serve(both);
    for (const one of both) await one.open();
    const ask = async (method: string) => {
      const headers = { origin: 'https://page.example', 'access-control-request-method': method };
      const { status, headers: given } = await fetch(`${url()}/both`, { method: 'OPTIONS', headers });
      return [status, given.get('access-control-allow-methods') ?? given.get('allow')];
    };
    expect(await ask('POST')).toEqual([204, 'GET, HEAD, POST, OPTIONS']);
    expect(await ask('GET')).toEqual([405, 'GET, HEAD, POST']);
  });
});

describe('the routes of a component', () => {
  const handler = () => undefined;
  const fault = (what: string) =>
    expect.objectContaining({
      code: 'ROUTE_WITHOUT_ACCESS',
      message: expect.stringMatching(new RegExp(`^events .*${what}`)),
    });

  it.each<[string, (router: Router) => void]>([
    ['POST /v1/other', (router) => router.post('/v1/other', handler)],
    ['HEAD /other/\\{id\\}', (router) => router.head('/other/:id', handler)],
    ['PUT /late', (router) => router.put('/late', handler, ...OPEN)],
    ['\\* /all', (router) => router.all('/all', handler)],
    ['POST /some', (router) => router.route('/some').post(handler).all(OPEN)],
    ['middleware handler', (router) => router.use(handler)],
    ['middleware router', (router) => router.use('/below', express.Router())],
  ])('must say who may call: %s', (what, declare) => {
    const router = express.Router();
    router.get('/good', ...OPEN, handler);
    declare(router);
    expect(() => attach('events', router)).toThrow(fault(what));
  });

  it.each([undefined, null, {}, { kind: 'none' }, { kind: 'token', scope: 'ingest' }, { kind: 'local' }])(
    'cannot be allowed by %j',
    (rule) => {
      // @ts-expect-error Of no kind, as JavaScript may call it.
      expect(() => allow(rule)).toThrow(expect.objectContaining({ code: 'ROUTE_WITHOUT_ACCESS' }));
    },
  );

  it('may run any middleware of Express after that', async () => {
    const router = express.Router();
    router.post('/echo', ...OPEN, express.json(), (request, response) =>
      sendJson(response, 200, JSON.stringify({ got: request.body })),
    );
    const served = attach('echo', router);
    servers.serve([served]);
    await served.open();
    const body = '{"a":[1]}';
    const response = await fetch(`${url()}/echo`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect(await response.json()).toEqual({ got: { a: [1] } });
  });
});

describe('closing', () => {
  function slow(): { served: ServedRoutes; isRequested: () => boolean; answer: () => void } {
    let answer: (() => void) | undefined;
    const router = express.Router();
    router.get('/slow', ...OPEN, async (_request, response) => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      sendJson(response, 200, '{}');
    });
    return { served: attach('slow', router), isRequested: () => answer !== undefined, answer: () => answer?.() };
  }

  it('of one component does not affect running requests of the others', async () => {
    const { served, isRequested, answer } = slow();
    const other = naming('events', '/v1/events');
    servers.serve([served, other]);
    await served.open();
    await other.open();
    const response = fetch(`${url()}/slow`);
    await waitFor('the request', isRequested);
    const closed = Promise.all([served.close(), other.close()]);
    answer();
    expect((await response).status).toBe(200);
    await closed;
  });

  it('does not wait for queued responses of a broken connection', async () => {
    const { served, isRequested } = slow();
    const events = naming('events', '/v1/events');
    servers.serve([served, events]);
    await served.open();
    await events.open();
    const connection = await openRawConnection(Number(new URL(url()).port));
    const request = 'POST /v1/events HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n';
    connection.write(`GET /slow HTTP/1.1\r\nhost: localhost\r\n\r\n${request.repeat(20)}`);
    await waitFor('the request', isRequested);
    connection.socket.destroy();
    await Promise.all([served.close(), events.close()]);
  });
});

describe('a kept connection while the server closes', () => {
  it('gets 503 for a request that was already on its way, and is then closed', async () => {
    const events = naming('events', '/v1/events');
    servers.serve([events]);
    await events.open();
    const connection = await openRawConnection(Number(new URL(url()).port));
    const request = 'POST /v1/events HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n';
    connection.write(request);
    await connection.receive(/"from":"events"/);
    const closed = events.close();
    connection.write(request);
    const received = await connection.untilClosed();
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 503']);
    expect(received).toContain('"code":"COLLECTOR_STOPPING"');
    await closed;
  });
});

describe('while a reload exchanges the components', () => {
  const request = 'POST /v1/events HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n';

  it('requests wait for the next ones, on kept connections and new ones, except for what reports health', async () => {
    const before = naming('events', '/v1/events');
    servers.serve([before]);
    await before.open();
    const address = url();
    const connection = await openRawConnection(Number(new URL(address).port));
    connection.write(request);
    await connection.receive(/"from":"events"/);
    const after = naming('after', '/v1/events');
    const health = express.Router();
    health.get('/health', ...OPEN, (_request, response) => sendJson(response, 200, '{}'));
    const watching = attach('health', health, { reportsHealth: true });
    servers.replace([after, watching]);
    await before.close();
    connection.write(request);
    const answer = fetch(`${address}/v1/events`, { method: 'POST' });
    const early = fetch(`${address}/health`);
    await watching.open();
    await after.open();
    expect((await early).status).toBe(200);
    expect((await fetch(`${address}/health`)).status).toBe(200);
    expect(await Promise.race([answer, Promise.resolve('waits')])).toBe('waits');
    await servers.release();
    expect(await (await answer).json()).toEqual({ from: 'after' });
    await connection.receive(/"from":"events".*"from":"after"/s);
    connection.socket.destroy();
  });

  it('requests that waited for components which did not start are served by those that come after them', async () => {
    const before = naming('events', '/v1/events');
    servers.serve([before]);
    await before.open();
    const address = url();
    servers.replace([naming('failing', '/v1/events')]);
    await before.close();
    const answer = fetch(`${address}/v1/events`, { method: 'POST' });
    const again = naming('again', '/v1/events');
    servers.replace([again]);
    await again.open();
    await servers.release();
    expect(await (await answer).json()).toEqual({ from: 'again' });
  });

  it('an endpoint that the next ones do not use responds with 503 and closes', async () => {
    const before = naming('events', '/v1/events');
    servers.serve([before]);
    await before.open();
    const address = url();
    const connection = await openRawConnection(Number(new URL(address).port));
    servers.replace([]);
    await before.close();
    connection.write(request);
    await servers.release();
    expect(await connection.untilClosed()).toMatch(/^HTTP\/1\.1 503 .*COLLECTOR_STOPPING/s);
    await expect(fetch(`${address}/v1/events`)).rejects.toThrow();
  });

  it('components that cannot be served together change nothing', async () => {
    const before = naming('events', '/v1/events');
    servers.serve([before]);
    await before.open();
    const clashing = [naming('one', '/v1/events'), naming('two', '/v1/events')];
    expect(() => servers.replace(clashing)).toThrow(expect.objectContaining({ code: 'ROUTE_TAKEN' }));
    expect(await (await fetch(`${url()}/v1/events`, { method: 'POST' })).json()).toEqual({ from: 'events' });
  });
});
