import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { pino } from 'pino';
import { sendFault, toFault } from '../../../../collector/http/messages/problem.js';
import { readBody } from '../../../../collector/http/messages/read-body.js';
import { sendJson } from '../../../../collector/http/messages/respond.js';
import { allow } from '../../../../collector/http/middleware/allow.js';
import {
  ConnectionLimiter,
  clientKey,
  type EvictionReason,
} from '../../../../collector/http/server/connection-limiter.js';
import { createRequestRate } from '../../../../collector/http/server/endpoint-limits.js';
import { arrivalOf } from '../../../../collector/http/server/endpoint-transport.js';
import { Meters } from '../../../../collector/telemetry/meters.js';
import { DEFAULT_CONNECTIONS } from '../../../../generated/default-connections.js';
import type { ConnectionSettings } from '../../../../generated/settings.js';
import { waitFor } from '../../../helpers/wait-for.js';
import { openRawConnection, type RawConnection, rawPost } from '../../raw-connection.js';
import { createServers, type ServedComponents, serveComponents } from '../../serve-components.js';

const ENDPOINT = '127.0.0.1:0';
let meters: Meters;
let served: ServedComponents | undefined;
let port: number;
const opened: RawConnection[] = [];
afterEach(async () => {
  for (const { socket } of opened.splice(0)) socket.destroy();
  await served?.stop();
});

async function start(bounds: Partial<ConnectionSettings>): Promise<void> {
  meters = new Meters();
  const servers = createServers({ logger: pino({ level: 'silent' }), meters }, 500);
  const connections = { ...DEFAULT_CONNECTIONS, ...bounds };
  const router = express.Router();
  router.post('/v1/events', ...allow({ kind: 'open' }), async (request, response) => {
    const bytes = await readBody(request, { maxBodyBytes: 1_000, stallTimeoutMs: 60_000 }, () => undefined);
    sendJson(response, 200, String(bytes));
  });
  const routes = [{ endpoint: ENDPOINT, router, transport: { tls: undefined, connections } }];
  served = await serveComponents(servers, { events: { routes } });
  port = Number(new URL(servers.urlOf(ENDPOINT) ?? '').port);
}

async function open(host?: string): Promise<RawConnection> {
  const connection = await openRawConnection(port, host);
  opened.push(connection);
  return connection;
}
const counted = (reason: string) =>
  meters.samples('faultline_http_evicted_connections').find(({ labels }) => labels['reason'] === reason)?.value;
const openNow = () => meters.samples('faultline_http_connections')[0]?.value;

describe('an endpoint at its connection limit', () => {
  it('closes the connection that has waited longest for a request, for each new one', async () => {
    await start({ max_connections: 3 });
    const slow: RawConnection[] = [];
    for (let index = 0; index < 3; index++) {
      const one = await open();
      one.write(rawPost('x'.repeat(100)).slice(0, -50));
      slow.push(one);
      await waitFor('it to be counted', () => openNow() === index + 1);
    }
    const late = await open();
    late.write(rawPost('x'));
    expect(await late.receive(/\r\n\r\n1$/)).toMatch(/^HTTP\/1\.1 200/);
    await slow[0]?.untilClosed();
    expect([openNow(), counted('max_connections')]).toEqual([3, 1]);
    slow[1]?.write('x'.repeat(50));
    expect(await slow[1]?.receive(/\r\n\r\n100$/)).toMatch(/^HTTP\/1\.1 200/);
  });

  it('serves others beside hundreds of requests that never end', async () => {
    await start({ max_connections: 20 });
    const flood = Array.from({ length: 300 }, async () => {
      const one = await open();
      one.write('POST /v1/events HTTP/1.1\r\nhost: localhost\r\ncontent-length: 900\r\n\r\n');
    });
    const served: Promise<number>[] = [];
    for (let request = 0; request < 20; request++) {
      served.push(
        fetch(`http://127.0.0.1:${port}/v1/events`, { method: 'POST', body: 'xyz' }).then(({ status }) => status),
      );
      await served.at(-1);
    }
    await Promise.all(flood);
    expect(await Promise.all(served)).toEqual(new Array<number>(20).fill(200));
    expect(openNow()).toBeLessThanOrEqual(20);
  });

  it('closes connections of a client above the limit per client', async () => {
    await start({ max_connections_per_client: 2 });
    await open();
    await open();
    await waitFor('both', () => openNow() === 2);
    const third = await open();
    expect(await third.untilClosed()).toBe('');
    expect([openNow(), counted('max_connections_per_client')]).toEqual([2, 1]);
  });
});

describe('a client that sends many requests', () => {
  it('gets 429 with Retry-After, and is counted', async () => {
    await start({ requests_per_second: 0.5, request_burst: 2 });
    const ask = () => fetch(`http://127.0.0.1:${port}/v1/events`, { method: 'POST', body: 'x' });
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 200]);
    const refused = await ask();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '2']);
    expect(await refused.json()).toMatchObject({ code: 'RATE_LIMITED' });
    expect(meters.samples('faultline_http_rate_limited_requests')).toEqual([
      { labels: { endpoint: ENDPOINT }, value: 1 },
    ]);
  });

  it('may send more requests over time, up to the burst', () => {
    let now = 0;
    const rate = createRequestRate({ requests_per_second: 10, request_burst: 3 }, () => now);
    const passed = (tries: number) => Array.from({ length: tries }, () => rate('a') === undefined);
    expect(passed(4)).toEqual([true, true, true, false]);
    now = 200;
    expect(passed(3)).toEqual([true, true, false]);
    now = 60_000;
    expect(passed(4)).toEqual([true, true, true, false]);
    expect(rate('b')).toBeUndefined();
  });

  it('is forgotten after requests from 10,000 others, and not before', () => {
    const rate = createRequestRate({ requests_per_second: 0.001, request_burst: 1 }, () => 0);
    const isAccepted = (client: string) => rate(client) === undefined;
    expect([isAccepted('a'), isAccepted('a')]).toEqual([true, false]);
    for (let other = 0; other < 9_999; other++) isAccepted(`other ${other}`);
    expect(isAccepted('a')).toBe(false);
    for (let other = 0; other < 10_000; other++) isAccepted(`third ${other}`);
    expect(isAccepted('a')).toBe(true);
  });

  it('is identified by its IPv4 address or its IPv6 network', () => {
    expect(clientKey('::ffff:10.1.2.3')).toBe(clientKey('10.1.2.3'));
    expect(clientKey('2001:db8:1:2:3:4:5:6')).toBe(clientKey('2001:db8:1:2::9'));
    expect(clientKey('2001:db8::1')).toBe('2001:db8:0:0::/64');
    expect(clientKey('::1')).toBe('0:0:0:0::/64');
    expect(clientKey('fe80::1%eth0')).toBe('fe80:0:0:0::/64');
    expect(clientKey('2001:db8:1:3::1')).not.toBe(clientKey('2001:db8:1:2::1'));
  });
});

describe('a body that arrives slowly', () => {
  let server: Server | undefined;
  let guard: ConnectionLimiter | undefined;
  afterEach(() => {
    guard?.close();
    server?.closeAllConnections();
    server?.close();
  });

  async function serve(
    evicted: EvictionReason[],
    handle: (request: IncomingMessage) => Promise<unknown>,
  ): Promise<RawConnection> {
    const settings = { ...DEFAULT_CONNECTIONS, max_connections: 10, max_connections_per_client: 0, min_body_rate: '2' };
    const one = new ConnectionLimiter(settings, (reason) => evicted.push(reason), 5);
    guard = one;
    const created = createServer(async (request, response) => {
      const arrival = arrivalOf(request);
      one.requestStarted(request.socket, arrival);
      response.once('close', () => one.requestEnded(request.socket, arrival));
      try {
        await handle(request);
        sendJson(response, 200, 'whole');
      } catch (error) {
        sendFault(request, response, toFault(error));
      }
    });
    server = created;
    created.on('connection', (socket) => one.admit(socket));
    await new Promise<void>((resolve) => created.listen(0, '127.0.0.1', resolve));
    const connection = await openRawConnection((created.address() as AddressInfo).port);
    opened.push(connection);
    return connection;
  }
  const read = (request: IncomingMessage) =>
    readBody(request, { maxBodyBytes: 1_000, stallTimeoutMs: 60_000 }, () => undefined);

  it('gets 408, and its connection is closed', async () => {
    const evicted: EvictionReason[] = [];
    const connection = await serve(evicted, read);
    connection.write(rawPost('x'.repeat(900)).slice(0, -800));
    expect(await connection.untilClosed()).toMatch(/^HTTP\/1\.1 408 .*BODY_TOO_SLOW/s);
    expect(evicted).toEqual(['slow_body']);
  });

  it('is accepted while it waits because of our backpressure', async () => {
    const evicted: EvictionReason[] = [];
    let release: (() => void) | undefined;
    const connection = await serve(evicted, async (request) => {
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      await readBody(request, { maxBodyBytes: 1_000, stallTimeoutMs: 60_000 }, () => held);
    });
    connection.write(rawPost('x'.repeat(900)).slice(0, -800));
    await waitFor('the first piece', () => release !== undefined);
    // The time after which a slow body is closed, measured by another server.
    const turns = waitTurns(60);
    await turns;
    expect(evicted).toEqual([]);
    connection.write('x'.repeat(800));
    release?.();
    expect(await connection.receive(/whole$/)).toMatch(/^HTTP\/1\.1 200/);
  });
});

/** A check that is done after this number of turns of a 5 ms timer. */
function waitTurns(count: number): Promise<void> {
  return new Promise((resolve) => {
    let turns = 0;
    const timer = setInterval(() => {
      turns++;
      if (turns < count) return;
      clearInterval(timer);
      resolve();
    });
  });
}
