import type { Batch, Consumer } from '../../../../collector/component/consumer.js';
import {
  createCredentialGuard,
  masksCredentials,
} from '../../../../collector/processors/redaction/credential-guard.js';
import type { ReceivedEvent } from '../../../../core/contract/stages.js';
import type { JsonObject } from '../../../../core/event/json.js';
import { serverPayload } from '../../../helpers/payloads.js';
import { turnsWhile } from '../turns-while.js';
import { REDACTION_DEFAULTS } from './redacting.js';

/** What the guard passes on. */
async function guarded(batch: Partial<Batch>, more: Partial<Consumer> = {}): Promise<Batch> {
  const batches: Batch[] = [];
  const consumer: Consumer = {
    ...more,
    consume: (one) => {
      batches.push(one);
      return Promise.resolve([]);
    },
  };
  await createCredentialGuard(consumer).consume({ receiver: 'events', events: [], ...batch });
  const [one] = batches;
  if (one === undefined) throw new Error('nothing was handed on');
  return one;
}

async function guardedExtra(extra: JsonObject): Promise<JsonObject | null | undefined> {
  return (await guarded({ events: [{ payload: serverPayload({ extra }) }] })).events[0]?.payload.extra;
}

describe('a pipeline without redaction', () => {
  it.each<[string, JsonObject, JsonObject]>([
    [
      'headers and cookies of a response',
      { response: { headers: { 'Set-Cookie': ['a=b'], Accept: '*/*' }, cookies: { sid: 'a' }, status: 502 } },
      { response: { headers: { 'Set-Cookie': '[redacted]', Accept: '*/*' }, cookies: '[redacted]', status: 502 } },
    ],
    [
      'pairs, named values and lists in which both alternate',
      {
        headers: [['x-api-key', 'river']],
        list: [{ Key: 'Cookie', Value: ['a=b'] }],
        raw_headers: ['Host', 'a', 'Cookie', 'b'],
      },
      {
        headers: [['x-api-key', '[redacted]']],
        list: [{ Key: 'Cookie', Value: '[redacted]' }],
        raw_headers: ['Host', 'a', 'Cookie', '[redacted]'],
      },
    ],
    [
      'environments, queries and addresses',
      { env: { HTTP_COOKIE: 'a=b', PORT: '80' }, query: 'sid=f00d4711&a=b', 'url.full': 'https://u:river@a.example/' },
      {
        env: { HTTP_COOKIE: '[redacted]', PORT: '80' },
        query: 'sid=[redacted]&a=b',
        'url.full': 'https://u:[redacted]@a.example/',
      },
    ],
    [
      'addresses with parameters under any name, and headers as variables of CGI',
      { from: '/in?access_token=f00d4711&a=b', steps: ['/in?sid=f00d4711'], server: { HTTP_X_API_KEY: 'river' } },
      {
        from: '/in?access_token=[redacted]&a=b',
        steps: ['/in?sid=[redacted]'],
        server: { HTTP_X_API_KEY: '[redacted]' },
      },
    ],
    [
      'parameters and members of bodies as attributes',
      {
        'request.query.sid': 'f00d4711',
        'http.request.body.password': 'river',
        'http.request.body.content': 'sid=f00d4711',
      },
      {
        'request.query.sid': '[redacted]',
        'http.request.body.password': '[redacted]',
        'http.request.body.content': 'sid=[redacted]',
      },
    ],
    [
      'attributes of OpenTelemetry',
      { 'http.request.header.authorization': ['Bearer x'], 'http.request.header.x-api-key': 'river' },
      { 'http.request.header.authorization': '[redacted]', 'http.request.header.x-api-key': '[redacted]' },
    ],
    [
      'user and password of a client of HTTP',
      { config: { auth: { username: 'ann', password: 'river' } }, auth: 'enabled' },
      { config: { auth: { username: 'ann', password: '[redacted]' } }, auth: 'enabled' },
    ],
    [
      'the code of a grant',
      { query: 'code=FakeHs3Mk9Wd6Pf1Lz8Ty5&page=2', params: { code: 'a0b1c2d3e4f5a0b1c2d3' }, code: 'E_42' },
      { query: 'code=[redacted]&page=2', params: { code: '[redacted]' }, code: 'E_42' },
    ],
    [
      'values of a member of a request at any depth',
      {
        request: {
          data: { login: { password: 'river', pin: 8311, tokens: 3 }, auth: { user: 'ann', pass: ['river'] } },
        },
      },
      {
        request: {
          data: {
            login: { password: '[redacted]', pin: '[redacted]', tokens: 3 },
            auth: { user: '[redacted]', pass: ['[redacted]'] },
          },
        },
      },
    ],
  ])('masks %s', async (_, extra, expected) => {
    const before = JSON.stringify(extra);
    expect(await guardedExtra(extra)).toEqual(expected);
    expect(JSON.stringify(extra)).toBe(before);
  });

  it.each<[string, JsonObject]>([
    ['what is no part of HTTP', { password: 'river', note: 'password=river', session: { id: 'f00d4711' }, pin: 8311 }],
    ['empty values and earlier masks', { cookies: {}, headers: { authorization: '[Filtered]', cookie: null } }],
    ['a list of names of headers', { vary: ['Cookie', 'Accept'], allow_headers: ['Authorization', 'X-Api-Key'] }],
    ['a decision on authorization', { authorization: { policy: 'orders.read', reason: 'denied by policy' } }],
  ])('leaves the same event with %s', async (_, extra) => {
    const event: ReceivedEvent = { payload: serverPayload({ extra }), encoded: Buffer.from('{}') };
    expect((await guarded({ events: [event] })).events[0]).toBe(event);
  });

  it('keeps __proto__ a member, and tags texts', async () => {
    const extra: JsonObject = JSON.parse('{"__proto__":{"cookie":"a=b","__proto__":{"cookie":"c=d"}}}');
    const event = { payload: serverPayload({ extra, tags: { cookie: 'a=b', a: 'b' } }) };
    const { payload } = (await guarded({ events: [event] })).events[0] ?? event;
    expect(JSON.stringify(payload.extra)).toBe(
      '{"__proto__":{"cookie":"[redacted]","__proto__":{"cookie":"[redacted]"}}}',
    );
    expect(payload.tags).toEqual({ cookie: '[redacted]', a: 'b' });
  });

  it('masks what it prepares, once, and rejected payloads', async () => {
    const prepared: ReceivedEvent[] = [];
    const guard = createCredentialGuard({
      consume: () => Promise.resolve([]),
      prepare: (event) => {
        prepared.push(event);
        return event;
      },
    });
    guard.prepare?.({ payload: serverPayload({ extra: { cookie: 'a=b' } }) });
    expect(prepared[0]?.payload.extra).toEqual({ cookie: '[redacted]' });
    const received = Buffer.from('{"message":5,"headers":[["Cookie","a=b"]]}');
    const payload = { code: 'EVENT_INVALID', field: '', reason: 'x', received, bytes: received.length };
    const { rejected } = await guarded({ rejected: [payload] });
    expect(Buffer.from(rejected?.[0]?.received ?? []).toString()).toBe(
      '{"message":5,"headers":[["Cookie","[redacted]"]]}',
    );
  });

  it('masks the credential at the end of a large event in turns', async () => {
    const members = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`k${at}`, [`v${at}`]]));
    const headers = { referer: `${'a b '.repeat(2_000_000)}https://ann:river@a.example/`, cookie: 'a=b' };
    let deep: JsonObject = headers;
    for (let level = 0; level < 900; level += 1) deep = { level: deep };
    const { result, turns } = await turnsWhile(() => guardedExtra({ ...members, deep, headers }));
    const text = JSON.stringify(result);
    expect([text.includes('river'), text.includes('a=b'), text.includes('"k49999":["v49999"]')]).toEqual([
      false,
      false,
      true,
    ]);
    expect(turns).toBeGreaterThan(5);
  });

  it('needs no guard if its redaction masks cookies and bearer tokens', () => {
    expect(masksCredentials(REDACTION_DEFAULTS)).toBe(true);
    expect(masksCredentials({ ...REDACTION_DEFAULTS, builtin_patterns: ['emails', 'cookies'] })).toBe(false);
  });
});
