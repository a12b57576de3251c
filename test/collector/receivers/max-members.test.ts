import type { JsonObject, JsonValue } from '../../../core/event/json.js';
import { createGrouper } from '../../../core/fingerprint/grouper.js';
import { DEFAULT_GROUPING } from '../../../core/fingerprint/grouping-settings.js';
import { DEFAULT_LIMITS } from '../../helpers/event-limits.js';
import { serverPayload } from '../../helpers/payloads.js';
import { post } from '../post.js';
import { type RunningReceiver, startReceiver } from '../running-receiver.js';
import { logJson, logProtobuf, logsBody, tracesBody } from './otlp/bodies.js';
import * as wire from './otlp/decode/wire.js';
import { JSON_TYPE, running as otlp, PROTOBUF_TYPE, send, startForEachTest } from './otlp/running-otlp.js';
import { envelope, type RunningSentry, STORE_PATH, startSentry } from './sentry/running-sentry.js';

const MAX = 2_000;
const CODE = 'EVENT_TOO_MANY_MEMBERS';
const limits = { ...DEFAULT_LIMITS, max_members: MAX };
const good = JSON.stringify(serverPayload());

const keys = (count: number): JsonObject => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 'v']));
/** An event with this JSON as its last member, which exceeds the limit. */
const eventWith = (key: string, json: string) => `${good.slice(0, -1)},"${key}":${json}}`;
const OVER: readonly (readonly [string, string])[] = [
  ['members of its own', `${good.slice(0, -1)},${JSON.stringify(keys(3 * MAX)).slice(1)}`],
  ['nested objects', eventWith('nested', `${'{"a":'.repeat(3 * MAX)}1${'}'.repeat(3 * MAX)}`)],
  // JSON that would not parse, so a rejection proves that it was not parsed.
  [
    'members of its own, and stops being JSON at its end',
    `${good.slice(0, -1)},${JSON.stringify(keys(3 * MAX)).slice(1, -1)},nonsense}`,
  ],
];

/** What of an event with this JSON as a member is left out, and the field that says so. */
const LONG: readonly (readonly [member: string, json: string, field: string, reason: string])[] = [
  ['tags', JSON.stringify(keys(3 * MAX)), '/tags', '4976 of 6000 tags were left out'],
  ['extra', JSON.stringify({ list: keys(3 * MAX) }), '/extra/list', '4976 of 6000 members of list were left out'],
  ['list', `[${'1,'.repeat(3 * MAX)}1]`, '/extra/list', '4977 of 6001 members of list were left out'],
  ['items', `[${'{"a":[1,2]},'.repeat(MAX)}1]`, '/extra/items', '1489 of 2001 items were left out'],
];

describe('an event with lists that make more than max_members', () => {
  let running: RunningReceiver;
  beforeEach(async () => {
    running = await startReceiver({ settings: { limits } });
  });
  afterEach(() => running.close());

  it.each(LONG)('is stored without the middle of %s', async (member, json, field, reason) => {
    const body = eventWith(member, json);
    const single = await post(running.url, body);
    expect(single.body).toMatchObject({ accepted: 1, rejected: [] });
    expect(single.body.events?.[0]).toMatchObject({
      notes: expect.arrayContaining([{ code: 'MEMBERS_CUT', field, reason }]),
    });
    const lines = await post(running.url, `${good}\n${body}\n${good}`, { 'content-type': 'application/x-ndjson' });
    expect(lines.body).toMatchObject({ accepted: 3, rejected: [] });
    const [stored] = running.consumer.events;
    expect(stored).not.toHaveProperty('encoded');
    expect(stored?.payload.extra?.['faultline']).toMatchObject({
      cuts: expect.arrayContaining([expect.objectContaining({ field, limit: 'max_members' })]),
    });
  });

  it('is malformed if what remains is not JSON', async () => {
    const response = await post(running.url, eventWith('list', `[${'1,'.repeat(3 * MAX)}nonsense]`));
    expect(response).toMatchObject({ status: 400, body: { code: 'MALFORMED_JSON' } });
    expect(response.body).not.toHaveProperty('position');
  });
});

describe('an event of more than max_members that no list explains', () => {
  let running: RunningReceiver;
  beforeEach(async () => {
    running = await startReceiver({ settings: { limits } });
  });
  afterEach(() => running.close());
  const letters = () => running.consumer.batches.flatMap(({ rejected = [] }) => rejected);

  it.each(OVER)('is rejected with 422 alone, with %s', async (_, body) => {
    const response = await post(running.url, body);
    expect(response.status).toBe(422);
    expect(response.body.rejected).toMatchObject([{ index: 0, field: '', code: CODE }]);
    expect(letters()).toMatchObject([{ code: CODE, bytes: body.length }]);
  });

  it.each(OVER)('is one rejection in an array and in NDJSON, with %s', async (_, body) => {
    const lines = await post(running.url, `${good}\n${body}\n${good}`, { 'content-type': 'application/x-ndjson' });
    expect(lines.body).toMatchObject({ accepted: 2, rejected: [{ index: 1, code: CODE }] });
    const array = await post(running.url, `[${good},${body},${good}]`);
    expect(array.body).toMatchObject({ accepted: 2, rejected: [{ index: 1, code: CODE }] });
    expect(running.ledger.snapshot()['events']).toMatchObject({
      received: 6,
      stored: 4,
      rejected: 2,
      reasons: { [CODE]: 2 },
    });
  });

  it('is accepted exactly at the limit', async () => {
    const names = { app: 'shop', env: 'test', service: 'api', message: 'm', error_name: 'E', route: '/' };
    const wide = (count: number) => JSON.stringify({ ...names, ...keys(count) });
    expect((await post(running.url, wide(MAX - 6))).status).toBe(200);
    expect((await post(running.url, wide(MAX - 5))).status).toBe(422);
  });

  it('does not reject large events within the limit, whatever their characters', async () => {
    const texts = ['x', 'é', '漢', '😀', '\n'].map((letter) => letter.repeat(300_000));
    for (const text of texts) {
      expect((await post(running.url, JSON.stringify(serverPayload({ message: text })))).status).toBe(200);
      const line = `${good}\n${JSON.stringify(serverPayload({ message: text }))}`;
      expect((await post(running.url, line, { 'content-type': 'application/x-ndjson' })).body.accepted).toBe(2);
    }
    const messages = running.consumer.events.map(({ payload }) => payload.message);
    expect(messages.filter((message) => message.length > 1_000)).toEqual(texts.flatMap((text) => [text, text]));
  });

  it('does not hide that a large line is not JSON', async () => {
    const broken = JSON.stringify(serverPayload({ message: 'é'.repeat(300_000) })).slice(0, -1);
    const { body } = await post(running.url, `${broken}x\n${good}`, { 'content-type': 'application/x-ndjson' });
    expect(body).toMatchObject({ accepted: 1, rejected: [{ index: 0, code: 'MALFORMED_JSON' }] });
  });
});

describe('an OTLP record of more than max_members', () => {
  startForEachTest({ settings: { limits } });
  const letters = () => otlp.consumer.batches.flatMap(({ rejected = [] }) => rejected);
  const statusOf = async (body: string | Buffer, path = '/v1/logs') =>
    (await send(body, typeof body === 'string' ? JSON_TYPE : PROTOBUF_TYPE, { path })).status;
  const stringValue = wire.bytesField(1, 'v');
  const attribute = (key: string, value: Buffer) =>
    wire.bytesField(6, wire.bytesField(1, key), wire.bytesField(2, value));
  const map = (count: number) =>
    wire.bytesField(
      6,
      ...Array.from({ length: count }, (_, n) =>
        wire.bytesField(1, wire.bytesField(1, `k${n}`), wire.bytesField(2, stringValue)),
      ),
    );
  const list = (count: number) => wire.bytesField(5, wire.bytesField(1, stringValue).toString('latin1').repeat(count));
  const severity = wire.varintField(2, 17);

  it.each([
    ['attributes', Buffer.concat(Array.from({ length: MAX + 1 }, (_, n) => attribute(`k${n}`, stringValue)))],
    ['the members of a map', attribute('map', map(MAX + 1))],
    ['the elements of a list', attribute('list', list(MAX + 1))],
  ])('is one bad record in protobuf, by %s', async (_, fields) => {
    const body = wire.logsBody(severity, Buffer.concat([severity, fields]), severity);
    expect(await statusOf(body)).toBe(200);
    expect(otlp.account()).toMatchObject({ received: 3, stored: 2, rejected: 1, reasons: { [CODE]: 1 } });
    expect(letters()).toMatchObject([{ code: CODE }]);
  });

  it.each([
    ['just above', MAX + 1],
    ['far above', 10 * MAX],
  ])('is one bad record in JSON, %s the limit', async (_, count) => {
    expect(
      await statusOf(logsBody(logJson(), logJson(keys(count) as Record<string, string>), logJson({ other: 1 }))),
    ).toBe(200);
    expect(otlp.account()).toMatchObject({ received: 3, stored: 2, rejected: 1, reasons: { [CODE]: 1 } });
    expect(letters()).toMatchObject([{ code: CODE }]);
  });

  it('may also be a span with too many events, in both encodings', async () => {
    const events = Array.from({ length: MAX + 1 }, () => ({ name: 'retry' }));
    expect(await statusOf(tracesBody({ name: 'many', events }, { name: 'quiet' }), '/v1/traces')).toBe(200);
    const event = wire.bytesField(11, wire.bytesField(1, 'e'));
    expect(await statusOf(wire.logsBody(Buffer.concat(Array(MAX + 1).fill(event))), '/v1/traces')).toBe(200);
    expect(otlp.account()).toMatchObject({ received: 3, filtered: 1, rejected: 2, reasons: { [CODE]: 2 } });
  });

  it('refuses the request if its resource has too many, in both encodings', async () => {
    const attributes = Array.from({ length: MAX + 1 }, (_, n) => ({ key: `k${n}`, value: { stringValue: 'v' } }));
    const logs = { resource: { attributes }, scopeLogs: [{ logRecords: [logJson()] }] };
    expect(await statusOf(JSON.stringify({ resourceLogs: [logs] }))).toBe(400);
    const resource = wire.bytesField(1, ...attributes.map(({ key }) => wire.bytesField(1, wire.bytesField(1, key))));
    expect(await statusOf(wire.bytesField(1, resource))).toBe(400);
    expect(otlp.account()?.reasons).toEqual({ OTLP_INVALID: 2 });
  });

  it('does not affect later requests', async () => {
    expect(await statusOf(tracesBody({ name: 'quiet', attributes: [] }), '/v1/traces')).toBe(200);
    expect(await statusOf(logProtobuf('afterwards'))).toBe(200);
    expect(otlp.payloads()).toMatchObject([{ message: 'afterwards' }]);
  });
});

const frame = (index: number) => ({
  function: 'walk',
  filename: 'app/tree.py',
  lineno: 10,
  in_app: true,
  vars: keys(10),
  pre_context: ['a', 'b'],
  post_context: ['c', `${index}`],
});
const frames = (count: number) => ({ frames: Array.from({ length: count }, (_, index) => frame(index)) });
const crash = (more: JsonObject, depth = 2): JsonObject => ({
  platform: 'python',
  exception: { values: [{ type: 'RecursionError', value: 'too deep', stacktrace: frames(depth) }] },
  ...more,
});
const list = (count: number, item: (index: number) => JsonValue) =>
  Array.from({ length: count }, (_, index) => item(index));
/** Crashes of more than max_members, and what of them is left out. */
const CRASHES: readonly (readonly [string, JsonObject, field: string])[] = [
  ['a recursion', crash({}, 500), '/exception/values/0/stacktrace/frames'],
  [
    'a dump of all threads',
    crash({ threads: { values: list(120, (id) => ({ id, stacktrace: frames(20) })) } }),
    '/threads/values',
  ],
  [
    'many images',
    crash({ debug_meta: { images: list(700, (id) => ({ type: 'elf', code_file: `${id}`, size: 1 })) } }),
    '/debug_meta/images',
  ],
  ['many modules', crash({ modules: keys(3_000) }), '/modules'],
  [
    'many breadcrumbs',
    crash({ breadcrumbs: list(1_000, (id) => ({ message: `${id}`, data: keys(3) })) }),
    '/breadcrumbs',
  ],
  ['a long context', crash({ contexts: { state: { list: list(5_000, (id) => id) } } }), '/contexts/state/list'],
];

describe('a crash of more than max_members from a Sentry SDK', () => {
  let running: RunningSentry;
  beforeEach(async () => {
    running = await startSentry({ limits });
  });
  afterEach(() => running.close());
  const grouper = createGrouper(DEFAULT_GROUPING);

  it.each(CRASHES)('is stored with a note, %s', async (_, event, field) => {
    expect((await running.post(envelope({}, { type: 'event' }, event))).status).toBe(200);
    const payload = running.consumer.events[0]?.payload;
    expect(payload?.extra?.['faultline']).toMatchObject({
      cuts: expect.arrayContaining([expect.objectContaining({ field: `/extra/sentry${field}` })]),
    });
    expect(payload).toMatchObject({ error_name: 'RecursionError', message: 'too deep' });
    expect(running.ledger.snapshot()['sentry']).toMatchObject({ received: 1, stored: 1 });
  });

  it('is one issue with a smaller crash at the same place', async () => {
    const chain = (count: number) => ({
      exception: {
        values: list(count, (id) => ({
          type: `E${id === 0 ? 0 : 1}`,
          stacktrace: frames(10),
          mechanism: { type: 'chained', exception_id: count - 1 - id, parent_id: count - id },
        })),
      },
    });
    const groups = [
      [crash({}, 30), ...[300, 500, 5_000].map((depth) => crash({}, depth))],
      [chain(30), chain(300)],
    ];
    for (const events of groups) {
      const before = running.consumer.events.length;
      for (const event of events) await running.post(envelope({}, { type: 'event' }, event));
      const stored = running.consumer.events.slice(before).map(({ payload }) => grouper.fingerprint(payload).value);
      expect(stored).toHaveLength(events.length);
      expect(new Set(stored).size).toBe(1);
    }
  });
});

describe('a Sentry item of more than max_members', () => {
  let running: RunningSentry;
  beforeEach(async () => {
    running = await startSentry({ limits });
  });
  afterEach(() => running.close());
  const over = JSON.stringify({ message: 'boom', ...keys(3 * MAX) });

  it('is rejected alone with 422, in an envelope and by the store endpoint', async () => {
    const responses = [
      await running.post(envelope({}, { type: 'event' }, over)),
      await running.post(over, { path: STORE_PATH }),
      await running.post(envelope({}, { type: 'event' }, `${over.slice(0, -1)}nonsense`)),
    ];
    expect(responses.map(({ status, body }) => [status, body.code])).toEqual(Array(3).fill([422, CODE]));
    expect(running.ledger.snapshot()['sentry']).toMatchObject({ rejected: 3, reasons: { [CODE]: 3 } });
    expect(running.consumer.batches.flatMap(({ rejected = [] }) => rejected)).toHaveLength(3);
  });

  it('does not affect the other items of its envelope', async () => {
    const lines = envelope({}, { type: 'event' }, over, { type: 'event' }, { message: 'small' });
    expect((await running.post(lines)).status).toBe(200);
    expect(running.consumer.events.map(({ payload }) => payload.message)).toEqual(['small']);
  });

  it('may be a log of many entries if each entry is within the limit', async () => {
    const entry = (attributes: JsonObject) => ({ timestamp: 1, level: 'error', body: 'b', attributes });
    const items = [...Array.from({ length: 30 }, () => entry(keys(100))), entry(keys(MAX + 1))];
    expect((await running.post(envelope({}, { type: 'log' }, { items }))).status).toBe(200);
    expect(running.ledger.snapshot()['sentry']).toMatchObject({ stored: 30, reasons: { [CODE]: 1 } });
  });
});
