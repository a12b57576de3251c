import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { Fault } from '../../../../core/event/fault.js';
import type { JsonObject } from '../../../../core/event/json.js';
import { waitFor } from '../../../helpers/wait-for.js';
import { openRawConnection } from '../../raw-connection.js';
import { ENVELOPE_PATH, envelope, type RunningSentry, STORE_PATH, startSentry } from './running-sentry.js';

const ID = '0123456789abcdef0123456789abcdef';
const OTHER_ID = 'f'.repeat(32);
const DASHED_ID = '01234567-89AB-cdef-0123-456789abcdef';
const RATE_LIMITS = '86400:transaction;span;profile;profile_chunk;replay;trace_metric;monitor;feedback:organization';

function event(members: JsonObject = {}): JsonObject {
  return { message: 'boom', platform: 'node', timestamp: 1_760_000_000.5, ...members };
}

const bytesOf = (buffer: Buffer): Uint8Array<ArrayBuffer> => new Uint8Array(buffer);
const ofEvent = (members: JsonObject = {}, header: JsonObject = {}) =>
  envelope(header, { type: 'event' }, event(members));

let running: RunningSentry;
const messages = () => running.consumer.events.map(({ payload }) => payload.message);
const account = () => running.ledger.snapshot()['sentry'];
const deadLetters = () => running.consumer.batches.flatMap(({ rejected = [] }) => rejected);

afterEach(() => running.close());

describe('a Sentry receiver without projects', () => {
  beforeEach(async () => {
    running = await startSentry();
  });

  it('accepts an envelope: 200 with the id and the limits of what it drops, without Retry-After', async () => {
    const { status, headers, body } = await running.post(ofEvent({}, { event_id: ID }));
    expect([status, body]).toEqual([200, { id: ID }]);
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('x-sentry-rate-limits')).toBe(RATE_LIMITS);
    expect(headers.get('retry-after')).toBeNull();
    expect(messages()).toEqual(['boom']);
    expect(account()).toMatchObject({ received: 1, stored: 1 });
  });

  it('prints one DSN that works', async () => {
    const [dsn = ''] = running.urls;
    expect(dsn).toMatch(/^http:\/\/[0-9a-f]{32}@127\.0\.0\.1:\d+\/1$/);
    const { username, pathname } = new URL(dsn);
    const { status } = await running.post(ofEvent(), { path: `/api${pathname}/envelope/?sentry_key=${username}` });
    expect(status).toBe(200);
  });

  it.each([
    '/api/1/envelope/?sentry_key=a',
    '/api/1/envelope?sentry_key=a',
    '/api/my-project_7/envelope/?sentry_key=a',
  ])('accepts envelopes at %s', async (path) => {
    expect((await running.post(ofEvent(), { path })).status).toBe(200);
  });

  it.each([
    '/api/1/envelopes/?sentry_key=a',
    '/api/a.b/envelope/?sentry_key=a',
    `/api/${'a'.repeat(65)}/envelope/?sentry_key=a`,
    '/prefix/api/1/envelope/?sentry_key=a',
  ])('responds with 404 at %s', async (path) => {
    expect((await running.post('{}', { path })).status).toBe(404);
  });

  it.each<[string, string, Record<string, string>]>([
    ['in the query', ENVELOPE_PATH, {}],
    ['in X-Sentry-Auth', '/api/1/envelope/', { 'x-sentry-auth': 'Sentry sentry_key=abc, sentry_version=7' }],
    [
      'in any order and case',
      '/api/1/envelope/',
      {
        'x-sentry-auth':
          'SENTRY sentry_version=5, sentry_client=x/1,sentry_timestamp=1, sentry_key=abc, sentry_secret=s',
      },
    ],
    ['in Authorization', '/api/1/envelope/', { authorization: 'Sentry sentry_key=abc' }],
    ['in Basic', '/api/1/envelope/', { authorization: `Basic ${Buffer.from('abc:').toString('base64')}` }],
    ['twice when both agree', ENVELOPE_PATH, { 'x-sentry-auth': 'Sentry sentry_key=abc' }],
    ['beside an Authorization of another kind', ENVELOPE_PATH, { authorization: 'Bearer xyz' }],
    ['beside the Basic credentials of a proxy', ENVELOPE_PATH, { authorization: 'Basic cHJveHk6c2VjcmV0' }],
  ])('accepts the key %s', async (_where, path, headers) => {
    expect((await running.post('{}', { path, headers })).status).toBe(200);
  });

  it('accepts the key of the dsn in the header of the envelope, and ignores an invalid dsn', async () => {
    const path = '/api/1/envelope/';
    const statuses = [
      await running.post(envelope({ dsn: 'http://abc@h/prefix/1' }), { path }),
      await running.post(envelope({ dsn: 'http://abc@h/1' }), { path: ENVELOPE_PATH }),
      await running.post(envelope({ dsn: 'nonsense' }), { path: ENVELOPE_PATH }),
      await running.post(envelope({ dsn: 7, sent_at: 'nonsense' }), { path: ENVELOPE_PATH }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 200, 200]);
  });

  it.each<[string, string, string, Record<string, string>, number, string]>([
    ['no key', '/api/1/envelope/', '{}', {}, 403, 'SENTRY_KEY_MISSING'],
    ['an empty key', '/api/1/envelope/?sentry_key=', '{}', {}, 403, 'SENTRY_KEY_MISSING'],
    ['no key at the store', '/api/1/store/', '{}', {}, 403, 'SENTRY_KEY_MISSING'],
    [
      'two keys that differ',
      ENVELOPE_PATH,
      '{}',
      { 'x-sentry-auth': 'Sentry sentry_key=x' },
      403,
      'SENTRY_CREDENTIALS_DIFFER',
    ],
    ['a dsn of another key', ENVELOPE_PATH, '{"dsn":"http://x@h/1"}', {}, 403, 'SENTRY_CREDENTIALS_DIFFER'],
    ['a dsn of another project', ENVELOPE_PATH, '{"dsn":"http://abc@h/2"}', {}, 403, 'SENTRY_CREDENTIALS_DIFFER'],
    [
      'a protocol of the future',
      '/api/1/envelope/?sentry_key=a&sentry_version=8',
      '{}',
      {},
      400,
      'SENTRY_VERSION_UNSUPPORTED',
    ],
  ])('refuses %s in the form of Sentry', async (_what, path, body, headers, status, code) => {
    const response = await running.post(body, { path, headers });
    expect([response.status, response.body.code]).toEqual([status, code]);
    expect(response.body.causes).toEqual([]);
    expect(response.headers.get('x-sentry-error')).toBe(response.body.detail);
    expect(response.headers.get('retry-after')).toBeNull();
    expect(account()).toMatchObject({ received: 1, rejected: 1, reasons: { [code]: 1 } });
    expect(running.logged).toMatchObject([{ code }]);
  });

  it.each<[string, (body: string) => Buffer]>([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
  ])('accepts a body in %s', async (encoding, encode) => {
    const { status } = await running.post(bytesOf(encode(ofEvent())), { headers: { 'content-encoding': encoding } });
    expect([status, messages()]).toEqual([200, ['boom']]);
  });

  it('says what of broken compressed data its header or its first bytes named', async () => {
    const broken = bytesOf(gzipSync(ofEvent()).subarray(0, 40));
    const labelled = await running.post(broken, { headers: { 'content-encoding': 'gzip' } });
    expect(labelled.body.detail).toBe('the body is not whole gzip data, as its content-encoding says');
    const { status, body } = await running.post(broken);
    expect([status, body.detail]).toEqual([400, 'the body begins like compressed data, but is not whole']);
  });

  it('responds with 415 to lz4 and names the encodings that it accepts', async () => {
    const { status, headers } = await running.post(ofEvent(), { headers: { 'content-encoding': 'lz4' } });
    expect([status, headers.get('accept-encoding')]).toEqual([
      415,
      'gzip, deflate, zlib, br, zstd, snappy, x-snappy-framed',
    ]);
  });

  it.each([
    'application/x-sentry-envelope',
    'text/plain;charset=UTF-8',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded',
  ])('accepts an envelope of content type %s', async (type) => {
    expect((await running.post(ofEvent(), { headers: { 'content-type': type } })).status).toBe(200);
    expect(messages()).toEqual(['boom']);
  });

  it('responds with {} to an empty envelope and to one without an event', async () => {
    const empty = await running.post('{}');
    const session = await running.post(envelope({}, { type: 'session' }, {}));
    expect([empty.status, empty.body, session.status, session.body]).toEqual([200, {}, 200, {}]);
  });

  it('responds with 200 to every other type of item and counts it as dropped', async () => {
    const types = [
      'transaction',
      'attachment',
      'sessions',
      'replay_recording',
      'span',
      'trace_metric',
      'from-the-future',
    ];
    const { status, body } = await running.post(
      envelope({ event_id: ID }, ...types.flatMap((type) => [{ type }, 'x'])),
    );
    expect([status, body]).toEqual([200, { id: ID }]);
    expect(account()).toMatchObject({ received: 7, filtered: 7, reasons: { SENTRY_ITEM_DROPPED: 7 } });
  });

  it('stores an event beside a binary attachment', async () => {
    const attachment = Buffer.from([0, 10, 13, 10, 255, 123]);
    const head = envelope({}, { type: 'attachment', length: attachment.length, filename: 'a.bin' }, '');
    const tail = envelope('', { type: 'event' }, event());
    const { status } = await running.post(bytesOf(Buffer.concat([Buffer.from(head), attachment, Buffer.from(tail)])));
    expect([status, messages()]).toEqual([200, ['boom']]);
  });

  it('accepts an envelope as Python writes it: lengths, a newline after every item, gzip, the key in a header', async () => {
    const payload = JSON.stringify(
      event({ event_id: ID, platform: 'python', timestamp: '2026-11-21T10:00:00.123456Z' }),
    );
    const header = { event_id: ID, sent_at: '2026-11-21T10:00:00.223456Z', trace: { trace_id: OTHER_ID } };
    const item = { type: 'event', content_type: 'application/json', length: payload.length };
    const { status, body } = await running.post(bytesOf(gzipSync(`${envelope(header, item, payload)}\n`)), {
      path: '/api/1/envelope/',
      headers: {
        'content-encoding': 'gzip',
        'content-type': 'application/x-sentry-envelope',
        'x-sentry-auth': 'Sentry sentry_key=abc, sentry_version=7, sentry_client=sentry.python/2.68.0',
      },
    });
    expect([status, body]).toEqual([200, { id: ID }]);
    expect(messages()).toEqual(['boom']);
  });

  it('prefers the id of the envelope to the one of the event', async () => {
    expect((await running.post(ofEvent({ event_id: OTHER_ID }, { event_id: DASHED_ID }))).body).toEqual({ id: ID });
    expect((await running.post(ofEvent({ event_id: OTHER_ID }))).body).toEqual({ id: OTHER_ID });
    expect((await running.post(ofEvent({ event_id: 'bad' }, { event_id: 7 }))).body.id).toMatch(/^[0-9a-f]{32}$/);
    expect(messages()).toHaveLength(3);
  });

  it.each(['0'.repeat(32), '00000000-0000-0000-0000-000000000000', 'bad', 7])(
    'gives an event with the id %s, which identifies nothing, one of its own',
    async (event_id) => {
      const ids = new Set<string | undefined>();
      for (const post of [
        () => running.post(ofEvent({ event_id }, { event_id })),
        () => running.post(ofEvent({ event_id })),
        () => running.post(JSON.stringify(event({ event_id })), { path: STORE_PATH }),
      ]) {
        ids.add((await post()).body.id);
      }
      expect([ids.size, ids.has('0'.repeat(32))]).toEqual([3, false]);
      expect(messages()).toEqual(['boom', 'boom', 'boom']);
      // The id of the event counts if that of the envelope identifies nothing.
      expect((await running.post(ofEvent({ event_id: OTHER_ID }, { event_id }))).body).toEqual({ id: OTHER_ID });
    },
  );

  it('stores a second event of an envelope too, under its own id', async () => {
    const body = envelope(
      { event_id: ID },
      { type: 'event' },
      event(),
      { type: 'event' },
      event({ message: 'second' }),
    );
    expect((await running.post(body)).body).toEqual({ id: ID });
    expect(messages()).toEqual(['boom', 'second']);
  });

  it('stores an event that is sent again once, with the same response', async () => {
    const first = await running.post(ofEvent({ event_id: ID }));
    const second = await running.post(JSON.stringify(event({ event_id: DASHED_ID })), { path: STORE_PATH });
    expect([first.body, second.status, second.body]).toEqual([{ id: ID }, 200, { id: ID }]);
    expect(account()).toMatchObject({ received: 2, stored: 1, filtered: 1, reasons: { SENTRY_REPEATED: 1 } });
  });

  it('treats the same id in another project as another event', async () => {
    await running.post(ofEvent({ event_id: ID }));
    await running.post(ofEvent({ event_id: ID }), { path: '/api/2/envelope/?sentry_key=a' });
    expect(messages()).toHaveLength(2);
  });

  it('responds with 503 and Retry-After if the store refuses, and accepts the event when it is sent again', async () => {
    running.consumer.before = () => {
      throw new Fault('STORE_UNAVAILABLE', 'the disk is full', { retryable: true });
    };
    const refused = await running.post(ofEvent({ event_id: ID }));
    expect([refused.status, refused.headers.get('retry-after'), refused.body.detail]).toEqual([
      503,
      '1',
      'the disk is full',
    ]);
    running.consumer.before = () => {};
    expect((await running.post(ofEvent({ event_id: ID }))).status).toBe(200);
    expect(account()).toMatchObject({ received: 2, refused: 1, stored: 1 });
  });

  it('counts every item of an envelope that the store refuses', async () => {
    running.consumer.before = () => {
      throw new Fault('STORE_UNAVAILABLE', 'the disk is full', { retryable: true });
    };
    const log = { items: [{ timestamp: 1, level: 'error', body: 'x' }] };
    await running.post(envelope({}, { type: 'event' }, event(), { type: 'event' }, event(), { type: 'log' }, log));
    expect(account()).toMatchObject({ received: 3, refused: 3 });
  });

  it.each([
    ['is not JSON', 'nonsense', 'MALFORMED_JSON'],
    ['is not an object', '[1]', 'EVENT_INVALID'],
    ['is empty', '', 'MALFORMED_JSON'],
  ])('responds with 400 to an event that %s, and keeps it as a dead letter', async (_what, payload, code) => {
    const { status, body } = await running.post(envelope({ event_id: ID }, { type: 'event' }, payload));
    expect([status, body.code]).toEqual([400, code]);
    expect(deadLetters()).toMatchObject([{ code, field: '', bytes: payload.length }]);
    expect(account()).toMatchObject({ received: 1, rejected: 1 });
  });

  it('keeps a bad event once, even if it is sent several times', async () => {
    const body = envelope({ event_id: ID }, { type: 'event' }, 'nonsense');
    const statuses = [(await running.post(body)).status, (await running.post(body)).status];
    expect(statuses).toEqual([400, 400]);
    expect(deadLetters()).toHaveLength(1);
  });

  it('responds with 200 if a bad event was sent with a good one', async () => {
    const { status } = await running.post(envelope({}, { type: 'event' }, 'nonsense', { type: 'event' }, event()));
    expect([status, messages()]).toEqual([200, ['boom']]);
    expect(account()).toMatchObject({ received: 2, rejected: 1, stored: 1 });
  });

  it('accepts an event with bare NaN and Infinity', async () => {
    const payload = JSON.stringify(event()).replace('{', '{"extra":{"a":NaN,"b":"NaN"},"x":-Infinity,');
    expect((await running.post(envelope({}, { type: 'event' }, payload))).status).toBe(200);
    expect(messages()).toEqual(['boom']);
  });

  it('refuses a malformed envelope with 400, stores the complete items before it, and keeps the rest as a dead letter', async () => {
    const body = envelope({}, { type: 'event' }, event(), { type: 'event', length: 50 }, '{"message":"half');
    const response = await running.post(body);
    expect([response.status, response.body.code, messages()]).toEqual([400, 'ENVELOPE_MALFORMED', ['boom']]);
    expect(response.headers.get('x-sentry-error')).toBe(response.body.detail);
    expect(deadLetters().map(({ received }) => Buffer.from(received ?? []).toString())).toEqual(['{"message":"half']);
    expect(account()).toMatchObject({ received: 2, stored: 1, rejected: 1 });
  });

  it.each<[string, string, number]>([
    ['an event without an envelope', JSON.stringify(event()), 1],
    ['an event over several lines', JSON.stringify(event(), null, 2), 1],
    ['an array of events', JSON.stringify([event(), event({ message: 'second' })]), 2],
    ['an envelope without header', envelope({ type: 'event' }, event()), 1],
    ['an envelope behind a bad header', envelope('nonsense', { type: 'event' }, event()), 1],
    ['an item without type', envelope({}, {}, event()), 1],
    ['an item of an unknown type', envelope({}, { type: 'exception' }, event()), 1],
    ['a length in characters', envelope({}, { type: 'event', length: 75 }, event({ message: 'é😀'.repeat(10) })), 1],
    ['two envelopes', envelope({}, { type: 'event' }, event(), { event_id: ID }, { type: 'event' }, event()), 2],
    ['base64 of zlib data', deflateSync(JSON.stringify(event())).toString('base64'), 1],
    ['nothing else than text', 'nonsense', 0],
    ['an object of another form', '{"hello":"world"}', 0],
    ['UTF-16', '{\0}\0', 0],
  ])(
    'at the envelope and store endpoints stores the events of %s, and says what it did not understand',
    async (_what, body, events) => {
      const { status, body: answer } = await running.post(body);
      expect(messages()).toHaveLength(events);
      const isRefused = answer.code === 'ENVELOPE_MALFORMED';
      expect([status, deadLetters().length]).toEqual(isRefused ? [400, 1] : [200, 0]);
      expect(isRefused || events > 0).toBe(true);
      if (!isRefused) {
        await running.post(body, { path: STORE_PATH });
        expect(messages()).toHaveLength(2 * events);
      }
      const { received = 0, stored = 0, rejected = 0 } = account() ?? {};
      expect(received).toBe(stored + rejected);
    },
  );

  it.each<[string, Buffer, Record<string, string>]>([
    ['gzip without a name', gzipSync(ofEvent()), {}],
    ['zlib data without a name', deflateSync(ofEvent()), {}],
    ['gzip under the name of another', gzipSync(ofEvent()), { 'content-encoding': 'br' }],
    ['no compression under the name of one', Buffer.from(ofEvent()), { 'content-encoding': 'gzip' }],
    ['no compression under the name of deflate', Buffer.from(ofEvent()), { 'content-encoding': 'deflate' }],
  ])('accepts %s', async (_what, body, headers) => {
    expect((await running.post(bytesOf(body), { headers })).status).toBe(200);
    expect((await running.post(bytesOf(body), { headers, path: STORE_PATH })).status).toBe(200);
    expect(messages()).toEqual(['boom', 'boom']);
  });

  it('refuses data that is not whole, and keeps what was decompressed', async () => {
    const packed = gzipSync(`${ofEvent()}\n{"type":"event"}\n{"half":`);
    const { status, body } = await running.post(bytesOf(packed.subarray(0, -4)), {
      headers: { 'content-encoding': 'gzip' },
    });
    expect([status, body.code, messages()]).toEqual([400, 'BODY_COMPRESSION_INVALID', ['boom']]);
    expect(deadLetters().map(({ received }) => String(received))).toEqual(['{"half":']);
  });

  it('counts a transaction in an event item as dropped, and stores one with an exception', async () => {
    const transaction = {
      type: 'transaction',
      transaction: '/x',
      start_timestamp: 1,
      timestamp: 2,
      spans: [],
      contexts: {},
    };
    const { type, ...untyped } = transaction;
    for (const payload of [transaction, untyped]) {
      expect((await running.post(envelope({}, { type: 'event' }, payload))).status).toBe(200);
      expect((await running.post(JSON.stringify(payload), { path: STORE_PATH })).status).toBe(200);
    }
    expect(account()).toMatchObject({ filtered: 4, stored: 0, reasons: { SENTRY_ITEM_DROPPED: 4 } });
    await running.post(envelope({}, { type: 'event' }, { ...transaction, exception: { type: 'E', value: 'boom' } }));
    expect([type, messages()]).toEqual(['transaction', ['boom']]);
  });

  it('stores the complete items of a body whose client disconnected', async () => {
    const connection = await openRawConnection(Number(new URL(running.origin).port));
    const whole = `${envelope({}, { type: 'event' }, event())}\n{"type":"event"}\n{"mess`;
    const head = [`POST ${ENVELOPE_PATH} HTTP/1.1`, 'host: localhost', 'content-length: 5000', '', whole].join('\r\n');
    connection.write(head);
    connection.socket.end();
    await waitFor('the account', () => account()?.received === 2);
    expect(messages()).toEqual(['boom']);
    expect(account()).toMatchObject({ stored: 1, rejected: 1, reasons: { BODY_ABORTED: 1 } });
  });

  it('responds with 405 to other methods', async () => {
    expect((await fetch(running.origin + ENVELOPE_PATH)).status).toBe(405);
  });

  it('responds with 400 to an empty body', async () => {
    expect(await running.post('')).toMatchObject({ status: 400, body: { code: 'BODY_EMPTY' } });
    expect(await running.post('', { path: STORE_PATH })).toMatchObject({ status: 400, body: { code: 'BODY_EMPTY' } });
  });

  it('accepts one event at the store endpoint, as JSON, as base64 of zlib data and as an envelope', async () => {
    const json = JSON.stringify(event({ event_id: ID }));
    const plain = await running.post(`\n ${json}`, { path: STORE_PATH });
    const packed = deflateSync(JSON.stringify(event())).toString('base64');
    const made = await running.post(packed, { path: '/api/1/store?sentry_key=abc' });
    const headers = { 'content-type': 'application/x-sentry-envelope; charset=utf-8' };
    const wrapped = await running.post(ofEvent(), { path: STORE_PATH, headers });
    expect([plain.status, made.status, wrapped.status]).toEqual([200, 200, 200]);
    expect(plain.body).toEqual({ id: ID });
    expect(made.body.id).toMatch(/^[0-9a-f]{32}$/);
    expect(messages()).toEqual(['boom', 'boom', 'boom']);
  });

  it('responds with 400 to a store body of any other form, and keeps it', async () => {
    expect(await running.post('nonsense!', { path: STORE_PATH })).toMatchObject({
      status: 400,
      body: { code: 'MALFORMED_JSON' },
    });
    expect(deadLetters()).toMatchObject([{ code: 'MALFORMED_JSON', bytes: 9 }]);
  });

  it('stores log entries of an error level and counts the others as filtered', async () => {
    const items = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'].map((level) => ({
      timestamp: 1_760_000_000.25,
      trace_id: ID,
      level,
      body: `a ${level}`,
      attributes: {},
    }));
    const header = { type: 'log', item_count: 6, content_type: 'application/vnd.sentry.items.log+json' };
    const { status, body } = await running.post(envelope({ sdk: {} }, header, { version: 2, items }));
    expect([status, body, messages()]).toEqual([200, {}, ['a fatal', 'a error']]);
    expect(account()).toMatchObject({ received: 6, stored: 2, filtered: 4, reasons: { SENTRY_LOG_LEVEL: 4 } });
  });

  it('accepts more log entries than fit in one batch', async () => {
    const items = Array.from({ length: 1_234 }, (_, index) => ({ timestamp: 1, level: 'error', body: String(index) }));
    expect((await running.post(envelope({}, { type: 'log' }, { items }))).status).toBe(200);
    expect(messages()).toEqual(items.map(({ body }) => body));
  });

  it('rejects log entries that are not objects, and a log without entries', async () => {
    const good = { timestamp: 1, level: 'error', body: 'good' };
    const mixed = await running.post(envelope({}, { type: 'log' }, { items: [good, 7, null] }));
    const none = await running.post(envelope({}, { type: 'log' }, { entries: [] }));
    expect([mixed.status, none.status, none.body.code]).toEqual([200, 400, 'EVENT_INVALID']);
    expect(account()).toMatchObject({ received: 4, stored: 1, rejected: 3 });
    expect(deadLetters()).toMatchObject([{ field: '/items' }, { field: '/items' }]);
  });

  it('counts what the application dropped itself, for errors and logs', async () => {
    const discarded_events = [
      { reason: 'network_error', category: 'error', quantity: 2 },
      { reason: 'network_error', category: 'log_item', quantity: 3 },
      { reason: 'ratelimit_backoff', category: 'transaction', quantity: 500 },
      { reason: 'Not a reason!', category: 'default', quantity: 1 },
      { reason: 'send_error', category: 'error', quantity: -1 },
      null,
    ];
    const { status } = await running.post(envelope({}, { type: 'client_report' }, { timestamp: 1, discarded_events }));
    const broken = await running.post(envelope({}, { type: 'client_report' }, 'nonsense'));
    expect([status, broken.status]).toEqual([200, 200]);
    expect(account()).toMatchObject({ received: 0, lost_by_clients: { network_error: 5, other: 1 } });
  });

  it('refuses pages whose origin is not allowed', async () => {
    const { status } = await running.post(ofEvent(), { headers: { origin: 'https://evil.example' } });
    expect([status, messages()]).toEqual([403, []]);
  });
});

describe('a Sentry receiver with settings', () => {
  it('accepts only the configured projects and keys, and prints a DSN for each', async () => {
    running = await startSentry({
      path_prefix: '/errors',
      projects: { 7: { public_key: 'secret', app: 'shop', service: 'web', env: 'test' }, 8: { env: 'production' } },
    });
    const post = async (path: string) => {
      const { status, body } = await running.post(ofEvent(), { path });
      return [status, body.code];
    };
    expect(running.urls).toEqual([
      `${running.origin.replace('://', '://secret@')}/errors/7`,
      expect.stringMatching(/^http:\/\/[0-9a-f]{32}@127\.0\.0\.1:\d+\/errors\/8$/),
    ]);
    expect(await post('/errors/api/7/envelope/?sentry_key=secret')).toEqual([200, undefined]);
    expect(await post('/errors/api/8/envelope/?sentry_key=any')).toEqual([200, undefined]);
    expect(await post('/errors/api/7/envelope/?sentry_key=wrong')).toEqual([403, 'SENTRY_KEY_WRONG']);
    expect(await post('/errors/api/9/envelope/?sentry_key=secret')).toEqual([403, 'SENTRY_PROJECT_UNKNOWN']);
    expect(await post('/api/7/envelope/?sentry_key=secret')).toEqual([404, 'PATH_NOT_FOUND']);
    expect(running.consumer.events[0]?.payload).toMatchObject({ app: 'shop', service: 'web', env: 'test' });
    // Only the key of a project proves who sent an event.
    expect(running.consumer.batches.map(({ origin }) => origin)).toEqual(['token', 'local']);
  });

  it('accepts envelopes at the tunnel by their dsn alone', async () => {
    running = await startSentry({
      tunnel_path: '/tunnel',
      projects: { 7: { public_key: 'secret', env: 'production' } },
    });
    // Credentials of the site of the page, which a browser sends along.
    const headers = { authorization: 'Basic c2l0ZTpzZWNyZXQ=' };
    const post = async (header: JsonObject) =>
      (await running.post(ofEvent({}, header), { path: '/tunnel', headers })).status;
    expect(await post({ dsn: 'http://secret@public.example/prefix/7' })).toBe(200);
    expect(await post({ dsn: 'http://wrong@public.example/prefix/7' })).toBe(403);
    expect(await post({ dsn: 'http://secret@public.example/8' })).toBe(403);
    expect(await post({})).toBe(403);
    expect(messages()).toEqual(['boom']);
  });

  it('responds to pages of allowed origins, with CORS headers also on errors, and to their preflight', async () => {
    const origin = 'https://shop.example.com';
    running = await startSentry({ cors: { allowed_origins: [origin], allowed_headers: [], max_age: '1h' } });
    const taken = await running.post(ofEvent(), { headers: { origin } });
    const refused = await running.post(ofEvent(), { headers: { origin }, path: '/api/1/envelope/' });
    expect([taken.status, refused.status]).toEqual([200, 403]);
    for (const { headers } of [taken, refused]) {
      expect(headers.get('access-control-allow-origin')).toBe(origin);
      expect(headers.get('access-control-expose-headers')).toBe('x-sentry-error, x-sentry-rate-limits, retry-after');
    }
    const preflight = await fetch(running.origin + ENVELOPE_PATH, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    });
    expect([preflight.status, preflight.headers.get('access-control-max-age')]).toEqual([204, '3600']);
    expect(preflight.headers.get('access-control-allow-headers')?.split(', ')).toEqual(
      expect.arrayContaining(['content-type', 'content-encoding', 'x-sentry-auth', 'sentry-trace', 'baggage']),
    );
  });

  it('stores log entries from the configured level on', async () => {
    running = await startSentry({ min_log_level: 'info' });
    const items = ['debug', 'info', 'warn'].map((level) => ({ timestamp: 1, level, body: level }));
    await running.post(envelope({}, { type: 'log' }, { items }));
    expect(messages()).toEqual(['info', 'warn']);
  });

  it('forgets ids at once if the window is 0', async () => {
    running = await startSentry({ idempotency_window: '0' });
    await running.post(ofEvent({ event_id: ID }));
    await running.post(ofEvent({ event_id: ID }));
    expect(messages()).toHaveLength(2);
  });

  it('responds with 413 to an event above the limit, in an envelope and at the store endpoint, plain and compressed', async () => {
    running = await startSentry({}, '1KiB');
    const large = event({ message: 'x'.repeat(2_000) });
    const packed = deflateSync(JSON.stringify(large)).toString('base64');
    const responses = [
      await running.post(envelope({}, { type: 'event' }, large)),
      await running.post(JSON.stringify(large), { path: STORE_PATH }),
      await running.post(packed, { path: STORE_PATH }),
    ];
    expect(responses.map(({ status, body }) => [status, body.code])).toEqual(Array(3).fill([413, 'EVENT_TOO_LARGE']));
    const beside = await running.post(envelope({}, { type: 'event' }, large, { type: 'event' }, event()));
    expect([beside.status, messages()]).toEqual([200, ['boom']]);
    expect(account()).toMatchObject({ received: 5, rejected: 4, stored: 1 });
  });

  it.each<[string, (body: Buffer) => Buffer]>([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('responds with 413 to a decompression bomb in %s', async (encoding, encode) => {
    running = await startSentry({ max_request_body_size: '1MiB' });
    const bomb = bytesOf(encode(Buffer.alloc(20_000_000, '{}\n')));
    const { status, body } = await running.post(bomb, { headers: { 'content-encoding': encoding } });
    expect([status, ['BODY_TOO_LARGE', 'ENVELOPE_TOO_LONG'].includes(body.code ?? '')]).toEqual([413, true]);
  });

  it('stops inflating an event of /store/ at the memory limit of all requests', async () => {
    running = await startSentry({}, '16MiB', 100_000);
    const bomb = deflateSync(JSON.stringify({ message: 'x'.repeat(1_000_000) })).toString('base64');
    const { status, body } = await running.post(bomb, { path: STORE_PATH });
    expect([status, body.code]).toEqual([413, 'BODY_TOO_LARGE']);
    expect((await running.post(ofEvent({ message: 'small' }))).status).toBe(200);
  });

  it('accepts an event before an attachment of 100 MiB', async () => {
    running = await startSentry({}, '64KiB');
    const size = 100 * 1024 * 1024;
    const head = Buffer.from(envelope({}, { type: 'event' }, event(), { type: 'attachment', length: size }, ''));
    const body = bytesOf(gzipSync(Buffer.concat([head, Buffer.alloc(size)]), { level: 1 }));
    const { status } = await running.post(body, { headers: { 'content-encoding': 'gzip' } });
    expect([status, messages()]).toEqual([200, ['boom']]);
  });

  it('responds with 503 if all requests together hold too much memory, and frees it afterwards', async () => {
    running = await startSentry({ max_request_body_size: '256KiB' }, '32KiB', 256 * 1024);
    let release: () => void = () => {};
    const waiting = new Promise<void>((resolve) => {
      release = resolve;
    });
    running.consumer.before = () => waiting;
    const large = ofEvent({ message: 'x'.repeat(16_000) });
    const posts = Array.from({ length: 20 }, () => running.post(large));
    const busy = await Promise.race(posts);
    expect([busy.status, busy.body.code]).toEqual([503, 'RECEIVER_BUSY']);
    release();
    expect(new Set((await Promise.all(posts)).map(({ status }) => status))).toEqual(new Set([200, 503]));
    expect((await running.post(large)).status).toBe(200);
  });
});
