import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../../../core/event/json.js';
import { ENVELOPE_PATH, envelope, type RunningSentry, STORE_PATH, startSentry } from './running-sentry.js';

const ID = '0123456789abcdef0123456789abcdef';

let running: RunningSentry;

beforeAll(async () => {
  running = await startSentry({ idempotency_window: '0', tunnel_path: '/tunnel' }, '64KiB');
});
afterAll(() => running.close());

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text));
}

function expectLedgerToAddUp(): void {
  const { received, stored, rejected, filtered, sampled, refused } = running.ledger.snapshot()['sentry'] ?? {
    received: 0,
    stored: 0,
    rejected: 0,
    filtered: 0,
    sampled: 0,
    refused: 0,
  };
  expect([received, refused]).toEqual([stored + rejected + filtered + sampled, 0]);
}

const exception = {
  values: [
    {
      type: 'TypeError',
      value: 'x',
      stacktrace: { frames: [{ function: 'f', filename: 'a.js', lineno: 1, colno: 2 }] },
    },
  ],
};
const event = {
  event_id: ID,
  timestamp: 1_760_000_000.5,
  platform: 'node',
  exception,
  tags: { a: 'b' },
  user: { id: '1' },
};
const report = { timestamp: 1, discarded_events: [{ reason: 'network_error', category: 'error', quantity: 1 }] };
const log = {
  items: [{ timestamp: 1, trace_id: ID, level: 'error', body: 'x', attributes: { a: { value: 1, type: 'integer' } } }],
};
const violation = { 'csp-report': { 'effective-directive': 'img-src', 'blocked-uri': 'https://a.example/b' } };
const LINES = [
  { event_id: ID, sent_at: '2026-11-21T00:00:00.123Z' },
  { type: 'event', length: JSON.stringify(event).length },
  event,
  { type: 'attachment', length: 3 },
  'a\nb',
  { type: 'log', item_count: 1 },
  log,
  { type: 'raw_security' },
  violation,
  { type: 'client_report' },
  report,
].map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
const WHOLE = envelope(...LINES);

const anyKey = fc.oneof(
  fc.constantFrom(
    'type',
    'length',
    'dsn',
    'csp-report',
    'known-pins',
    'hostname',
    'effective-directive',
    'blocked-uri',
    'event_id',
    'exception',
    'items',
    'values',
    'discarded_events',
    '__proto__',
  ),
  fc.string(),
);
const anyValue = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.dictionary(anyKey, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 6, noNullPrototype: true }),
);
const line = fc.oneof(
  fc.constantFrom(...LINES, ''),
  anyValue.map((value) => JSON.stringify(value)),
  fc.string(),
);
const lines = fc.array(line, { maxLength: 8 }).map((some) => some.join('\n'));
const mangled = fc
  .tuple(fc.nat({ max: WHOLE.length }), fc.nat({ max: 9 }), fc.string())
  .map(([start, length, filler]) => {
    return WHOLE.slice(0, start) + filler + WHOLE.slice(start + length);
  });
/** Well framed, so that the receiver reads the items, valid or not. */
const framed = fc
  .array(fc.tuple(fc.constantFrom('event', 'log', 'raw_security', 'client_report'), anyValue), { maxLength: 4 })
  .map((items) => envelope({}, ...items.flatMap(([type, value]) => [{ type }, JSON.stringify(value)])));
const body = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((bytes) => new Uint8Array(bytes)),
  lines.map(encode),
  mangled.map(encode),
  framed.map(encode),
  lines.map((text) => new Uint8Array(gzipSync(text))),
);
const SECURITY_PATH = '/api/1/security/?sentry_key=abc';
const path = fc.constantFrom(ENVELOPE_PATH, STORE_PATH, SECURITY_PATH, '/tunnel', '/api/1/envelope/');
const headers = fc.record(
  {
    'content-encoding': fc.constantFrom('gzip', 'deflate', 'br', 'identity', 'zstd'),
    'content-type': fc.constantFrom('application/x-sentry-envelope', 'application/json', 'text/plain'),
    'x-sentry-auth': fc.constantFrom('Sentry sentry_key=abc', 'Sentry', ',=,', 'sentry_version=x,sentry_key'),
    authorization: fc.constantFrom('Basic', 'Basic ====', 'Sentry sentry_key=abc', 'Bearer x'),
  },
  { requiredKeys: [] },
);

describe('an envelope that is cut at any byte', () => {
  it('gets a status below 500, which is 400 unless the cut is at the end of an item, and the ledger adds up', async () => {
    const bytes = encode(WHOLE);
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: bytes.length }), async (end) => {
        expect([200, 400]).toContain((await running.post(bytes.slice(0, end))).status);
        expectLedgerToAddUp();
      }),
    );
    expect((await running.post(WHOLE)).status).toBe(200);
  });
});

/** An event with all interfaces, in their documented form. */
const FULL_EVENT: JsonObject = {
  event_id: ID,
  timestamp: 1_760_000_000.5,
  platform: 'node',
  level: 'error',
  logger: 'shop',
  transaction: 'GET /cart',
  transaction_info: { source: 'route' },
  server_name: 'web-1',
  site: 'shop',
  release: 'shop@1.0',
  dist: '1',
  environment: 'staging',
  checksum: 'c',
  fingerprint: ['{{ default }}', 'a'],
  message: 'x',
  logentry: { message: 'a %s', params: ['b'], formatted: 'a b' },
  exception: {
    values: [
      {
        type: 'Error',
        value: 'x',
        module: 'm',
        thread_id: 1,
        mechanism: { type: 'generic', handled: false, exception_id: 0, meta: { errno: { number: 2 } } },
        stacktrace: { frames: [{ function: 'f', filename: 'a.js', abs_path: '/a.js', lineno: 1, in_app: true }] },
      },
    ],
  },
  'sentry.interfaces.Exception': { type: 'E', value: 'x' },
  stacktrace: { frames: [{ function: 'g' }] },
  threads: { values: [{ id: 1, crashed: true, stacktrace: { frames: [{ function: 'h' }] } }] },
  breadcrumbs: { values: [{ message: 'b', timestamp: 1, data: {} }] },
  request: { url: '/a', method: 'GET', headers: [['X-Request-Id', 'r']], cookies: 'a=b', env: {}, query_string: 'q' },
  'sentry.interfaces.Http': { url: '/b' },
  interfaces: { user: { id: 'u' } },
  user: { id: '1', ip_address: '{{auto}}' },
  tags: [['app', 'shop']],
  contexts: { trace: { trace_id: ID, span_id: '0123456789abcdef' }, response: { status_code: 502 } },
  extra: { a: 1, CallStack: ['x'] },
  modules: { a: '1' },
  sdk: { name: 's', version: '1' },
  debug_meta: { images: [{ type: 'pe' }] },
};

/** The paths of all values in a value. */
function pathsIn(value: JsonValue, path: readonly string[] = []): (readonly string[])[] {
  const inner = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return [path, ...inner.flatMap(([key, item]) => pathsIn(item, [...path, key]))];
}

function withValueAt(value: JsonValue, [key, ...rest]: readonly string[], odd: JsonValue): JsonValue {
  if (key === undefined) return odd;
  const inner = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const changed = inner.map(([name, item]) => [name, name === key ? withValueAt(item, rest, odd) : item]);
  return Array.isArray(value) ? changed.map(([, item]) => item ?? null) : Object.fromEntries(changed);
}

describe('any value at any member of an event', () => {
  it('is stored', async () => {
    const places = fc.constantFrom(...pathsIn(FULL_EVENT).filter((path) => path.length > 0));
    const values = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>,
      fc.constantFrom<JsonValue>(
        {},
        [],
        '',
        null,
        { 0: 'a', 1: {} },
        { values: {} },
        { frames: ['a'] },
        [[[]]],
        '[{}]',
      ),
    );
    await fc.assert(
      fc.asyncProperty(places, values, async (place, odd) => {
        const stored = running.consumer.events.length;
        const event = withValueAt(FULL_EVENT, place, odd);
        expect((await running.post(JSON.stringify(event), { path: STORE_PATH })).status).toBe(200);
        expect(running.consumer.events).toHaveLength(stored + 1);
      }),
    );
  });
});

describe('any input', () => {
  it('as a body to any path gets a status below 500, and the ledger adds up', async () => {
    await fc.assert(
      fc.asyncProperty(body, path, headers, async (bytes, to, given) => {
        const response = await running.post(bytes, { path: to, headers: given });
        expect(response.status).toBeLessThan(500);
        if (response.status !== 200) expect(response.body).toMatchObject({ detail: expect.any(String), causes: [] });
        expectLedgerToAddUp();
      }),
    );
    expect(running.logged.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });

  it('as a framed item is accepted or rejected, never refused', async () => {
    await fc.assert(
      fc.asyncProperty(framed, async (text) => {
        expect([200, 400]).toContain((await running.post(text)).status);
        expectLedgerToAddUp();
      }),
    );
  });

  it('nested to any depth gets a status below 500', async () => {
    const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    const item = (type: string, text: string) => envelope({}, { type }, text);
    const bodies = [
      item('event', deep(30_000)),
      item('event', `{"message":"x","extra":{"a":${deep(30_000)}}}`),
      item('event', `{"contexts":{"a":${deep(30_000)}},"exception":${deep(100)},"tags":${deep(1_000)}}`),
      item('log', `{"items":[{"level":"error","body":${deep(10_000)},"attributes":{"a":{"value":${deep(10_000)}}}}]}`),
      item('client_report', deep(30_000)),
      item('raw_security', deep(30_000)),
      item('raw_security', `{"csp-report":{"effective-directive":"img-src","a":${deep(10_000)}}}`),
      `${deep(30_000)}\n`,
      `{}\n{"a":${deep(30_000)}}\n`,
    ];
    for (const text of bodies) expect((await running.post(text)).status).toBeLessThan(500);
    expectLedgerToAddUp();
  });
});
