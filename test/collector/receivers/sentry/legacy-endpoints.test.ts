import { deflateSync, gzipSync } from 'node:zlib';
import { envelope, type RunningSentry, startSentry } from './running-sentry.js';

const EVENT = { message: 'déjà vu ???>>>~~~', platform: 'javascript' };
const JSON_TEXT = JSON.stringify(EVENT);
const ZLIB = deflateSync(JSON_TEXT).toString('base64');

let running: RunningSentry;
const messages = () => running.consumer.events.map(({ payload }) => payload.message);
const account = () => running.ledger.snapshot()['sentry'];
const get = (data: string, headers: Record<string, string> = {}, key = 'abc') =>
  fetch(`${running.origin}/api/1/store/?sentry_version=7&sentry_key=${key}&sentry_data=${data}`, { headers });

afterEach(() => running.close());

describe('GET /store/', () => {
  beforeEach(async () => {
    running = await startSentry();
  });

  it.each([
    ['JSON, as raven-js', encodeURIComponent(JSON_TEXT)],
    ['base64 of JSON', encodeURIComponent(Buffer.from(JSON_TEXT).toString('base64'))],
    ['base64 of JSON without escapes', Buffer.from(JSON_TEXT).toString('base64')],
    ['base64url of JSON', Buffer.from(JSON_TEXT).toString('base64url')],
    ['base64 of zlib data', encodeURIComponent(ZLIB)],
    ['base64 of zlib data without escapes', ZLIB],
  ])('stores an event as %s, and responds with an image', async (_, data) => {
    const response = await get(data);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/gif']);
    expect(Buffer.from(await response.arrayBuffer()).toString('latin1', 0, 6)).toBe('GIF89a');
    expect(messages()).toEqual([EVENT.message]);
  });

  it.each([
    ['nothing', '', 'BODY_EMPTY'],
    ['bad base64', '%25%25%25', 'MALFORMED_JSON'],
    ['half a JSON', '%7B%22message%22:%22a', 'MALFORMED_JSON'],
    ['base64 of half a JSON', Buffer.from('{"message":').toString('base64'), 'MALFORMED_JSON'],
    ['base64 of half the zlib data', ZLIB.slice(0, 20), 'MALFORMED_JSON'],
    ['a list', '%5B1%5D', 'EVENT_INVALID'],
  ])('responds with 400 to %s', async (_, data, code) => {
    const response = await get(data);
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([400, code]);
    expect(account()).toMatchObject({ received: 1, rejected: 1 });
  });

  it('is bounded: a bomb gets 413, and an address over 16 KiB 431', async () => {
    await running.close();
    running = await startSentry({}, '64KiB');
    const bomb = deflateSync(JSON.stringify({ message: 'x'.repeat(5_000_000) })).toString('base64url');
    expect((await get(bomb)).status).toBe(413);
    expect((await get('x'.repeat(20_000))).status).toBe(431);
    expect(messages()).toEqual([]);
  });

  it('sets no prototype', async () => {
    expect((await get(encodeURIComponent('{"message":"a","__proto__":{"level":"fatal"}}'))).status).toBe(200);
    expect(running.consumer.events[0]?.payload.level).toBe('error');
  });

  it('checks the key, and the page that requests the image', async () => {
    expect((await get(ZLIB, {}, '')).status).toBe(403);
    const page = (referer: string) => get(ZLIB, { referer, 'sec-fetch-site': 'cross-site' });
    expect((await page('https://evil.example/a')).status).toBe(403);
    expect((await get(ZLIB, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    await running.close();
    running = await startSentry({
      cors: { allowed_origins: ['https://shop.example'], allowed_headers: [], max_age: '1h' },
    });
    expect((await page('https://shop.example/cart')).status).toBe(200);
    expect(messages()).toEqual([EVENT.message]);
  });
});

describe('POST /store/', () => {
  const auth = (key: string) => ({
    'x-sentry-auth': `Sentry sentry_timestamp=1329096377.75, sentry_key=${key}, sentry_client=raven-python/1.7, sentry_version=2.0`,
  });
  const post = async (body: string | Uint8Array, path: string, key: string) => {
    const headers = { ...auth(key), 'content-type': 'application/octet-stream' };
    return (await running.post(new Uint8Array(Buffer.from(body)), { path, headers })).status;
  };

  it.each<[string, string | Uint8Array]>([
    ['JSON', JSON_TEXT],
    ['base64 of zlib data', ZLIB],
    ['base64 of gzip data', gzipSync(JSON_TEXT).toString('base64')],
    ['zlib data', deflateSync(JSON_TEXT)],
    ['gzip data', gzipSync(JSON_TEXT)],
  ])('stores an event as %s, also without a project in the path', async (_, body) => {
    running = await startSentry();
    for (const path of ['/api/1/store/', '/api/store/', '/api/store']) expect(await post(body, path, 'abc')).toBe(200);
    expect(messages()).toEqual([EVENT.message, EVENT.message, EVENT.message]);
    expect(running.consumer.events.map(({ payload }) => payload.app)).toEqual(['project-1', 'project-1', 'project-1']);
  });

  it('takes the project of the key, else the only one that takes any key', async () => {
    const of = (app: string, public_key?: string) => ({ app, env: 'test', ...(public_key && { public_key }) });
    running = await startSentry({ projects: { 7: of('shop', 'secret'), 8: of('open') } });
    expect(await post(JSON_TEXT, '/api/store/', 'secret')).toBe(200);
    expect(await post(JSON_TEXT, '/api/store/', 'other')).toBe(200);
    expect(running.consumer.events.map(({ payload }) => payload.app)).toEqual(['shop', 'open']);
    await running.close();
    running = await startSentry({ projects: { 7: of('shop', 'secret') } });
    expect(await post(JSON_TEXT, '/api/store/', 'other')).toBe(403);
    expect((await running.post(JSON_TEXT, { path: '/api/store/' })).status).toBe(403);
    expect(messages()).toEqual([]);
  });
});

describe('a minidump', () => {
  beforeEach(async () => {
    running = await startSentry();
  });
  const MINIDUMP = { type: 'attachment', attachment_type: 'event.minidump', length: 4 };
  const REFUSAL = {
    status: 415,
    body: { code: 'CONTENT_TYPE_UNSUPPORTED', detail: expect.stringContaining('minidumps are not supported') },
  };

  it.each(['minidump', 'unreal'])('at /%s/ is refused with a sentence, and counted', async (kind) => {
    const path = `/api/1/${kind}/?sentry_key=abc`;
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const refused = await running.post('--x\r\n\r\nMDMP', { path, headers });
    expect(refused).toMatchObject(REFUSAL);
    expect(refused.headers.get('x-sentry-error')).toContain('minidumps');
    expect(await running.post(new Uint8Array(10_000_000), { path, headers })).toMatchObject(REFUSAL);
    expect((await running.post('', { path: `/api/1/${kind}/` })).status).toBe(403);
    expect(account()).toMatchObject({ received: 3, rejected: 3, reasons: { CONTENT_TYPE_UNSUPPORTED: 2 } });
    expect(running.logged.filter(({ code }) => code === 'CONTENT_TYPE_UNSUPPORTED')).toHaveLength(1);
  });

  it('beside an event is rejected alone, and an envelope of only a minidump is refused', async () => {
    const beside = await running.post(
      envelope({}, { type: 'event' }, EVENT, MINIDUMP, 'MDMP', { type: 'attachment' }, 'a'),
    );
    expect([beside.status, messages()]).toEqual([200, [EVENT.message]]);
    expect(account()).toMatchObject({ received: 3, stored: 1, rejected: 1, filtered: 1 });
    expect(await running.post(envelope({}, MINIDUMP, 'MDMP'))).toMatchObject(REFUSAL);
    expect(account()).toMatchObject({ received: 4, rejected: 2, reasons: { CONTENT_TYPE_UNSUPPORTED: 2 } });
  });
});
