import { serverPayload as payload } from '../../../helpers/payloads.js';
import { type RunningReceiver, startReceiver } from '../../running-receiver.js';

const SHOP = 'https://shop.example.com';

let running: RunningReceiver;

beforeEach(async () => {
  const cors = {
    allowed_origins: [SHOP, 'http://localhost:*', 'https://*.pages.example'],
    allowed_headers: ['x-app'],
    max_age: '1h',
  };
  running = await startReceiver({ settings: { cors } });
});
afterEach(() => running.close());

const call = (headers: Record<string, string>, init: RequestInit = {}): Promise<Response> =>
  fetch(running.url, { method: 'POST', body: JSON.stringify(payload()), ...init, headers });

const preflight = (origin: string): Promise<Response> =>
  fetch(running.url, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,x-app',
    },
  });

describe('a page', () => {
  it('of an allowed origin gets CORS headers from the preflight and the response', async () => {
    const preflighted = await preflight(SHOP);
    expect(preflighted.status).toBe(204);
    expect(preflighted.headers.get('access-control-allow-origin')).toBe(SHOP);
    expect(preflighted.headers.get('access-control-allow-methods')).toBe('POST, OPTIONS');
    expect(preflighted.headers.get('access-control-allow-headers')).toBe(
      'content-type, content-encoding, authorization, idempotency-key, prefer, x-app',
    );
    expect(preflighted.headers.get('access-control-max-age')).toBe('3600');
    const sent = await call({ origin: SHOP, 'content-type': 'application/json' });
    expect([sent.status, sent.headers.get('access-control-allow-origin')]).toEqual([200, SHOP]);
    expect(sent.headers.get('vary')).toBe('Origin');
  });

  it('can read why it was refused', async () => {
    const refused = await call({ origin: SHOP, 'content-type': 'text/html' });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([415, SHOP]);
    expect(refused.headers.get('access-control-expose-headers')).toBe('retry-after');
  });

  it.each([
    'http://localhost:3000',
    'https://a.pages.example',
    'https://a.b.pages.example',
    'HTTPS://SHOP.example.com',
  ])('of %s matches a pattern', async (origin) => {
    expect((await call({ origin, 'content-type': 'text/plain' })).status).toBe(200);
  });

  it.each([
    'https://shop.example.com.evil.example',
    'https://evil.example/?https://shop.example.com',
    'https://pages.example',
    'http://localhost:3000.evil.example',
    'http://shop.example.com',
    'null',
    'https://evil.example#.pages.example',
    `https://${'a'.repeat(10_000)}.pages.example`,
  ])('of %.60s is refused, even without a preflight, and none of it is stored', async (origin) => {
    const response = await call({ origin, 'content-type': 'text/plain;charset=UTF-8' });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: 'ORIGIN_NOT_ALLOWED' });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    expect((await preflight(origin)).status).toBe(403);
    expect(running.consumer.events).toEqual([]);
  });

  it('may send what a beacon sends: one event or a list as text', async () => {
    const one = await call({ origin: SHOP, 'content-type': 'text/plain;charset=UTF-8' });
    const list = await call(
      { origin: SHOP, 'content-type': 'text/plain' },
      { body: JSON.stringify([payload(), payload()]) },
    );
    expect([one.status, list.status, running.consumer.events.length]).toEqual([200, 200, 3]);
  });

  it('gets no CORS headers from a receiver without allowed origins', async () => {
    await running.close();
    running = await startReceiver();
    const preflighted = await preflight(SHOP);
    expect([preflighted.status, preflighted.headers.get('access-control-allow-origin')]).toEqual([403, null]);
    expect((await call({ 'content-type': 'application/json' })).status).toBe(200);
  });
});
