import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { JsonObject } from '../../../../core/event/json.js';
import { computeFingerprint } from '../../../core/fingerprint/compute-fingerprint.js';
import { envelope, type RunningSentry, startSentry } from './running-sentry.js';

const PATH = '/api/1/security/?sentry_key=abc';

/** Bodies that Chromium 156 sent, one per line. */
function sentBy(name: string): string[] {
  const path = fileURLToPath(new URL(`../../../fixtures/sentry/browser/${name}.ndjson`, import.meta.url));
  return readFileSync(path, 'utf8').trimEnd().split('\n');
}

const csp = (members: JsonObject): JsonObject => ({ 'csp-report': members });
/** RFC 9163, 3.1; Expect-Staple has the same members. RFC 7469, 3. */
const ABOUT_HOST: JsonObject = { 'date-time': '2026-11-23T10:00:50Z', hostname: 'www.example.com', port: 443 };
const PINS = ["pin-sha256='d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWmM='"];

let running: RunningSentry;
const payloads = () => running.consumer.events.map(({ payload }) => payload);
const messages = () => payloads().map(({ message }) => message);
const groups = () => new Set(payloads().map((payload) => computeFingerprint(payload).value)).size;
const account = () => running.ledger.snapshot()['sentry'];
const send = async (body: unknown, path = PATH, headers: Record<string, string> = {}) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const sent = await running.post(text, { path, headers: { 'content-type': 'application/csp-report', ...headers } });
  return [sent.status, sent.body.code];
};

beforeEach(async () => {
  running = await startSentry({ cors: { allowed_origins: ['*'], allowed_headers: [], max_age: '2h' } });
});
afterEach(() => running.close());

describe('reports of a browser', () => {
  it('are events with the title, the page and the report, sent by report-uri', async () => {
    const bodies = sentBy('chromium-156-report-uri');
    for (const body of bodies) {
      const path = `${PATH}&sentry_release=shop%401.2.3&sentry_environment=staging`;
      expect(await send(body, path, { origin: 'http://127.0.0.1:46112', 'user-agent': 'Chromium' })).toEqual([
        200,
        undefined,
      ]);
    }
    expect(messages()).toEqual([
      "Blocked inline 'style'",
      "Blocked unsafe inline 'script'",
      "Blocked 'script' from 'evil.example:8443'",
      "Blocked 'image' from 'data:'",
    ]);
    expect(groups()).toBe(4);
    const sent: JsonObject = JSON.parse(bodies[2] ?? '');
    expect(payloads()[2]).toMatchObject({
      app: 'shop',
      service: 'shop',
      env: 'staging',
      error_name: '',
      level: 'error',
      route: '/orders/:id',
      release: 'shop@1.2.3',
      stack: null,
      status_code: null,
      tags: { 'effective-directive': 'script-src-elem', disposition: 'enforce', logger: 'csp' },
      extra: {
        sentry: {
          report: sent,
          request: { url: 'http://127.0.0.1:46112/orders/42?x=1', headers: { 'user-agent': 'Chromium' } },
        },
      },
    });
  });

  it('are events, sent as lists by the Reporting API', async () => {
    for (const body of sentBy('chromium-156-reporting-api')) {
      expect(await send(body, PATH, { 'content-type': 'application/reports+json' })).toEqual([200, undefined]);
    }
    expect(messages().slice(0, 3)).toEqual([
      "Blocked inline 'style'",
      "Blocked unsafe inline 'script'",
      "Blocked 'image' from 'data:'",
    ]);
    expect(payloads()[0]).toMatchObject({ route: '/orders/:id', tags: { disposition: 'report' } });
    expect(Date.parse(payloads()[0]?.timestamp ?? '')).toBeLessThanOrEqual(Date.now());
    expect(account()).toMatchObject({ received: payloads().length, stored: payloads().length });
  });

  it('may be sent by a page of an allowed origin: its preflight is answered', async () => {
    const headers = {
      origin: 'https://shop.example.com',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    };
    const { status, headers: answered } = await fetch(running.origin + PATH, { method: 'OPTIONS', headers });
    expect([status, answered.get('access-control-allow-origin')]).toEqual([204, '*']);
    expect(answered.get('access-control-allow-headers')).toContain('content-type');
  });

  it.each<[string, JsonObject]>([
    [
      "Blocked 'script' from 'evil.example'",
      csp({ 'effective-directive': 'script-src', 'blocked-uri': 'https://evil.example/a.js?_=1' }),
    ],
    [
      "Blocked 'default-src' from 'evil.example'",
      csp({ 'violated-directive': "default-src 'self'", 'blocked-uri': 'http://evil.example' }),
    ],
    [
      "Blocked 'form-action' from 'a.example:81'",
      csp({ 'violated-directive': 'form-action', 'blocked-uri': 'http://a.example:81/x' }),
    ],
    [
      "Blocked 'connect' from 'wss://a.example'",
      csp({ 'violated-directive': 'connect-src', 'blocked-uri': 'wss://a.example/feed/7' }),
    ],
    [
      "Blocked 'script' from 'chrome-extension://abc'",
      csp({ 'violated-directive': 'script-src', 'blocked-uri': 'chrome-extension://abc/x.js' }),
    ],
    [
      "Blocked 'media' from 'blob:'",
      csp({ 'violated-directive': 'media-src', 'blocked-uri': 'blob:https://a.example/1-2' }),
    ],
    ["Blocked unsafe eval() 'script'", csp({ 'violated-directive': 'script-src', 'blocked-uri': 'eval' })],
    [
      "Blocked unsafe (eval() or inline) 'script'",
      csp({ 'violated-directive': "script-src 'self'", 'blocked-uri': '' }),
    ],
    ["Blocked inline 'style'", csp({ 'violated-directive': 'style-src-elem', 'blocked-uri': 'self' })],
    [
      "Blocked 'require-trusted-types-for' from 'trusted-types-sink'",
      csp({ 'violated-directive': 'require-trusted-types-for', 'blocked-uri': 'trusted-types-sink' }),
    ],
    ["Blocked 'object' from 'no address'", csp({ 'violated-directive': 'object-src', 'blocked-uri': 'no address' })],
    ["Blocked 'image' from 'constructor:'", csp({ 'violated-directive': 'img-src', 'blocked-uri': 'constructor' })],
    ["Expect-CT failed for 'www.example.com'", { 'expect-ct-report': { ...ABOUT_HOST, scts: [] } }],
    [
      "Expect-Staple failed for 'www.example.com'",
      { 'expect-staple-report': { ...ABOUT_HOST, 'response-status': 'MISSING' } },
    ],
    ["Public key pinning validation failed for 'www.example.com'", { ...ABOUT_HOST, 'known-pins': PINS }],
  ])('are titled %s', async (title, report) => {
    expect(await send(report)).toEqual([200, undefined]);
    expect(messages()).toEqual([title]);
    expect(payloads().map((payload) => computeFingerprint(payload).title)).toEqual([title]);
    const at = report['csp-report'] === undefined ? { timestamp: expect.any(String) } : {};
    const mapping = { project_id: '1', message_template: title };
    const logentry = { message: title, formatted: title, params: [expect.any(String)] };
    const request = { headers: { 'user-agent': expect.any(String) } };
    expect(payloads()[0]?.extra).toEqual({
      sentry: { report, logentry, logger: expect.any(String), request, mapping, ...at },
    });
    if (report['csp-report'] === undefined) {
      expect(payloads()[0]).toMatchObject({
        timestamp: '2026-11-23T10:00:50.000Z',
        tags: { hostname: 'www.example.com', port: '443' },
      });
    }
  });

  it('are one issue for each kind of resource and host', async () => {
    const of = (directive: string, host: string, path: string) =>
      csp({
        'effective-directive': directive,
        'blocked-uri': `https://${host}/${path}`,
        'document-uri': `https://a.example/${path}`,
      });
    await send(of('script-src-elem', 'a1.example', '1'));
    await send(of('script-src', 'a1.example', '2'));
    expect(groups()).toBe(1);
    await send(of('script-src', 'a2.example', '1'));
    await send(of('img-src', 'a1.example', '1'));
    expect(groups()).toBe(3);
  });

  it('have two paths, and are items of an envelope', async () => {
    const report = csp({ 'violated-directive': 'img-src', 'blocked-uri': 'data' });
    expect(await send(report, '/api/1/csp-report/?sentry_key=abc')).toEqual([200, undefined]);
    const header = { trace: { release: 'shop@2', environment: 'dev' } };
    expect((await running.post(envelope(header, { type: 'raw_security' }, report))).status).toBe(200);
    expect(payloads().map(({ app, env }) => [app, env])).toEqual([
      ['project-1', 'production'],
      ['shop', 'dev'],
    ]);
  });

  it('of another type are filtered, and other values are rejected', async () => {
    const list = [{ type: 'deprecation', age: 1, body: {} }, csp({ 'violated-directive': 'img-src' }), 7, { a: 1 }];
    expect(await send(list)).toEqual([200, undefined]);
    expect(account()).toMatchObject({ received: 4, stored: 1, filtered: 1, rejected: 2 });
    expect(account()?.reasons).toEqual({ SENTRY_ITEM_DROPPED: 1, EVENT_INVALID: 2 });
  });

  it.each<[string, string | JsonObject, number, string | undefined]>([
    ['half a JSON', '{"csp-report":{"document-uri":"https://a', 400, 'MALFORMED_JSON'],
    ['text', 'nonsense', 400, 'MALFORMED_JSON'],
    ['another object', { a: 1 }, 400, 'EVENT_INVALID'],
    ['no directive', csp({ 'blocked-uri': 'data' }), 400, 'EVENT_INVALID'],
    ['a report that is text', { 'csp-report': 'x' }, 400, 'EVENT_INVALID'],
    ['a host that is an object', { 'expect-ct-report': { hostname: {} } }, 400, 'EVENT_INVALID'],
    ['an empty list', '[]', 200, undefined],
    ['nothing', '', 400, 'BODY_EMPTY'],
  ])('that are %s get %3$s', async (_, body, status, code) => {
    expect(await send(body)).toEqual([status, code]);
    expect(messages()).toEqual([]);
  });

  it('with prototype members, control characters and huge values are stored whole', async () => {
    const hostile =
      '{"csp-report":{"__proto__":{"a":1},"violated-directive":"img-src","blocked-uri":"\\u0000\\u001b[31m"}}';
    expect(await send(hostile)).toEqual([200, undefined]);
    const [first] = payloads();
    expect(JSON.stringify(first?.extra)).toContain('"__proto__":{"a":1}');
    const huge = 'x'.repeat(2_000_000);
    expect(await send(csp({ 'violated-directive': huge, 'blocked-uri': `https://${huge}/` }))).toEqual([
      200,
      undefined,
    ]);
    expect(payloads()[1]?.message.length).toBeLessThan(1_100);
  });

  it('of thousands are all stored, and a body above the limit or a bomb is refused', async () => {
    const many = Array.from({ length: 1_234 }, (_, index) =>
      csp({ 'violated-directive': 'img-src', 'line-number': index }),
    );
    expect(await send(many)).toEqual([200, undefined]);
    expect(account()?.stored).toBe(1_234);
    await running.close();
    running = await startSentry({}, '1MiB');
    expect(await send(`[${'{},'.repeat(3_000_000)}{}]`)).toEqual([413, 'EVENT_TOO_LARGE']);
    const bomb = new Uint8Array(gzipSync(Buffer.alloc(20_000_000, ' ')));
    const { status } = await running.post(bomb, { path: PATH, headers: { 'content-encoding': 'gzip' } });
    expect([status, account()?.rejected]).toEqual([413, 2]);
  });

  it('need a key, and a project that exists', async () => {
    await running.close();
    running = await startSentry({ projects: { 1: { public_key: 'abc', env: 'production' } } });
    const report = csp({ 'violated-directive': 'img-src' });
    expect(await send(report, '/api/1/security/')).toEqual([403, 'SENTRY_KEY_MISSING']);
    expect(await send(report, '/api/1/security/?sentry_key=other')).toEqual([403, 'SENTRY_KEY_WRONG']);
    expect(await send(report, '/api/2/security/?sentry_key=abc')).toEqual([403, 'SENTRY_PROJECT_UNKNOWN']);
    expect(await send(report)).toEqual([200, undefined]);
  });
});
