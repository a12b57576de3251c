import { Fault } from '../../../../core/event/fault.js';
import { serverPayload as payload } from '../../../helpers/payloads.js';
import { type EventsResponse, post } from '../../post.js';
import { type ReceiverVariant, type RunningReceiver, startReceiver } from '../../running-receiver.js';

const JSON_TYPE = { 'content-type': 'application/json' };
const NDJSON_TYPE = { 'content-type': 'application/x-ndjson' };

let running: RunningReceiver;

beforeEach(async () => {
  running = await startReceiver();
});
afterEach(() => running.close());

async function restart(variant: ReceiverVariant): Promise<void> {
  await running.close();
  running = await startReceiver(variant);
}

const send = (body: string | Uint8Array<ArrayBuffer>, headers?: Record<string, string>): Promise<EventsResponse> =>
  post(running.url, body, headers);
const sendLines = (lines: readonly (string | object)[]): Promise<EventsResponse> =>
  send(lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'), NDJSON_TYPE);
const ledger = () => running.ledger.snapshot()['events'];

describe('one event', () => {
  it('gets 200 with its ids and the address of its raw line only', async () => {
    const { status, headers, body } = await send(JSON.stringify(payload()));
    expect(status).toBe(200);
    expect(body).toEqual({
      accepted: 1,
      rejected: [],
      events: [
        {
          index: 0,
          event_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          issue_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          fingerprint: expect.stringMatching(/^[0-9a-f]{32}$/),
          raw: { path: '/data/raw.ndjson', line: 0 },
        },
      ],
    });
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('is forwarded as the payload that was sent', async () => {
    const sent = payload({ extra: { retries: 3 }, tags: { region: 'eu' } });
    await send(JSON.stringify(sent));
    expect(running.consumer.events.map((event) => event.payload)).toEqual([sent]);
    expect(running.consumer.batches[0]?.receiver).toBe('events');
  });

  it('keeps its bytes if they are one line with all keys, in any order', async () => {
    const { app, ...others } = payload();
    for (const line of [JSON.stringify(payload()), JSON.stringify({ ...others, app })]) {
      await send(` ${line}\r\n`);
      expect(String(Buffer.from(running.consumer.events.at(-1)?.encoded ?? []))).toBe(line);
    }
  });

  it('keeps its bytes before the keys that it lacks', async () => {
    await restart({ settings: { defaults: { app: 'shop', service: 'a"b', env: '\u{1f4a5}' } } });
    const line = '{"route":"\\/a", "error_name":"E","message":"é", "tags":{"a":"b"},"status_code":5e2 }';
    await send(line);
    const event = running.consumer.events.at(-1);
    const encoded = String(Buffer.from(event?.encoded ?? []));
    expect(encoded.startsWith(line.slice(0, -1))).toBe(true);
    expect(JSON.parse(encoded)).toEqual(event?.payload);
    expect(event?.payload).toMatchObject({
      service: 'a"b',
      env: '\u{1f4a5}',
      status_code: 500,
      stack: null,
      extra: null,
    });
  });

  it.each([
    ['it is on several lines', JSON.stringify(payload(), null, 2)],
    [
      'it lacks keys and has others',
      '{"message":"m","error_name":"E","route":"/","app":"a","service":"s","env":"e","x":1}',
    ],
    [
      'it has an object as prototype',
      '{"message":"m","error_name":"E","route":"/","app":"a","service":"s","env":"e","__proto__":{}}',
    ],
    [
      'a value was converted',
      '{"message":"m","error_name":"E","route":"/","app":"a","service":"s","env":"e","user_id":1}',
    ],
  ])('is encoded again if %s', async (_, body) => {
    await send(body);
    expect(running.consumer.events.map((event) => event.encoded)).toEqual([undefined]);
  });

  it('has app, service and env from the defaults of the receiver', async () => {
    await restart({ settings: { defaults: { app: 'shop', service: 'api', env: 'test' } } });
    const { status } = await send('{"message":"m","error_name":"E","route":"/"}');
    expect(status).toBe(200);
    expect(running.consumer.events[0]?.payload).toMatchObject({ app: 'shop', service: 'api', env: 'test' });
  });

  it('is rejected with 422 and the field if a required string is missing', async () => {
    const { app: _, ...others } = payload();
    const { status, body } = await send(JSON.stringify(others));
    expect(status).toBe(422);
    expect(body).toMatchObject({ accepted: 0, rejected: [{ index: 0, code: 'EVENT_INVALID' }], events: [] });
    expect(JSON.stringify(body.rejected)).toContain('app');
  });

  it.each(['42', '"text"', 'null', 'true'])('is rejected with 422 if it is %s instead of an object', async (text) => {
    const { status, body } = await send(text);
    expect(status).toBe(422);
    expect(body.rejected).toMatchObject([{ index: 0, field: '', code: 'EVENT_INVALID' }]);
  });

  it('has notes about what was cut', async () => {
    await restart({ settings: { limits: { ...limits(), max_string_length: 100 } } });
    const { body } = await send(JSON.stringify(payload({ message: 'x'.repeat(500) })));
    expect(body.events?.[0]?.notes).toMatchObject([{ code: 'STRING_CUT', field: '/message' }]);
    expect(ledger()?.cuts).toEqual({ max_string_length: 1 });
  });

  it('omits `events` if the sender prefers a minimal response', async () => {
    const { status, headers, body } = await send(JSON.stringify(payload()), {
      ...JSON_TYPE,
      prefer: 'wait=5, Return=minimal',
    });
    expect(status).toBe(200);
    expect(body).toEqual({ accepted: 1, rejected: [] });
    expect(headers.get('preference-applied')).toBe('return=minimal');
  });

  it('keeps a key named __proto__ as data', async () => {
    const text = JSON.stringify(payload({ extra: null })).replace(
      '"extra":null',
      '"extra":{"__proto__":{"polluted":true},"constructor":1}',
    );
    const { status } = await send(text);
    expect(status).toBe(200);
    const extra = running.consumer.events[0]?.payload.extra ?? {};
    expect(Object.keys(extra)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('may have a message of 10 MB, which is cut to the limit', async () => {
    const { status, body } = await send(JSON.stringify(payload({ message: 'x'.repeat(10_000_000) })));
    expect(status).toBe(200);
    expect(body.events?.[0]?.notes).toMatchObject([{ code: 'STRING_CUT', field: '/message' }]);
  });

  it('is refused with 413 if it is over the size bound', async () => {
    await restart({ maxEventSize: '1KiB' });
    const { status, body } = await send(JSON.stringify(payload({ message: 'x'.repeat(2_000) })));
    expect(status).toBe(413);
    expect(body.code).toBe('EVENT_TOO_LARGE');
    expect(ledger()).toMatchObject({ received: 1, rejected: 1, reasons: { EVENT_TOO_LARGE: 1 } });
  });

  it('has bytes that are not UTF-8 replaced, and a note about it', async () => {
    const [before = '', after = ''] = JSON.stringify(payload({ message: 'a|b' })).split('|');
    const { status, body } = await send(new Uint8Array([...Buffer.from(before), 0xff, 0xfe, ...Buffer.from(after)]));
    expect(status).toBe(200);
    expect(running.consumer.events[0]?.payload.message).toBe('a\ufffd\ufffdb');
    expect(running.consumer.events[0]?.encoded).toBeUndefined();
    expect(body.events?.[0]?.notes).toMatchObject([{ code: 'INVALID_UTF8' }]);
  });

  it('may begin with a byte order mark', async () => {
    expect((await send(`\ufeff${JSON.stringify(payload())}`)).status).toBe(200);
    expect((await send(`\ufeff${JSON.stringify(payload())}`, NDJSON_TYPE)).status).toBe(200);
  });
});

describe('an array', () => {
  it('gets an outcome per element: valid ones are stored, invalid ones are listed', async () => {
    const { status, body } = await send(
      JSON.stringify([payload(), { message: 7 }, 'text', payload({ message: 'second' })]),
    );
    expect(status).toBe(200);
    expect(body.accepted).toBe(2);
    expect(body.events?.map((event) => event.index)).toEqual([0, 3]);
    expect(body.rejected.map(({ index, code }) => [index, code])).toEqual([
      [1, 'EVENT_INVALID'],
      [2, 'EVENT_INVALID'],
    ]);
  });

  it('rejects an element that is not JSON and accepts the others', async () => {
    const { status, body } = await send(`[${JSON.stringify(payload())}, {"app": nope}, ${JSON.stringify(payload())}]`);
    expect(status).toBe(200);
    expect(body.accepted).toBe(2);
    expect(body.rejected).toMatchObject([{ index: 1, field: '', code: 'MALFORMED_JSON' }]);
  });

  it('gets 200 with 0 accepted if it is empty', async () => {
    const { status, body } = await send(' [ \n ] ');
    expect(status).toBe(200);
    expect(body).toEqual({ accepted: 0, rejected: [], events: [] });
    expect(running.consumer.batches).toEqual([]);
  });

  it('gets 422 if every element is invalid', async () => {
    const { status, body } = await send('[{}, {}]');
    expect(status).toBe(422);
    expect(body.rejected).toHaveLength(2);
  });

  it('is refused with 400 if it does not end, and none of it is stored', async () => {
    const { status, body } = await send(`[${JSON.stringify(payload())}, {"app":`);
    expect(status).toBe(400);
    expect(body.code).toBe('MALFORMED_JSON');
    expect(running.consumer.events).toEqual([]);
  });

  it.each(['[{},]', '[,{}]', '[{}}', '[] []', '[{}] x', '[[]'])('is refused with 400 as %s', async (text) => {
    const { status, body } = await send(text);
    expect(status).toBe(400);
    expect(body.code).toBe('MALFORMED_JSON');
    expect(body.position).toEqual(expect.any(Number));
  });

  it('rejects an element over the size bound', async () => {
    await restart({ maxEventSize: '1KiB' });
    const { status, body } = await send(JSON.stringify([payload({ message: 'x'.repeat(2_000) }), payload()]));
    expect(status).toBe(200);
    expect(body.rejected).toMatchObject([{ index: 0, field: '', code: 'EVENT_TOO_LARGE' }]);
  });

  it('is refused with 413 if it has too many elements', async () => {
    await restart({ settings: { max_events_per_request: 3 } });
    expect((await send('[{},{},{}]')).status).toBe(422);
    const { status, body } = await send('[{},{},{},{}]');
    expect(status).toBe(413);
    expect(body.code).toBe('TOO_MANY_EVENTS');
  });

  it('is forwarded in batches of at most 500 events, in order', async () => {
    const sent = Array.from({ length: 1_201 }, (_, index) => payload({ message: `m${index}` }));
    const { body } = await send(JSON.stringify(sent));
    expect(body.events?.map((event) => event.index)).toEqual(sent.map((_, index) => index));
    expect(running.consumer.batches.every((batch) => batch.events.length <= 500)).toBe(true);
    expect(running.consumer.events.map((event) => event.payload.message)).toEqual(sent.map(({ message }) => message));
  });

  it('lists the first 1,000 rejections and counts the rest', async () => {
    const { body } = await send(`[${Array.from({ length: 1_500 }, () => '{}').join()}]`);
    expect(body.rejected).toHaveLength(1_000);
    expect(body.rejected_count).toBe(1_500);
  });
});

describe('NDJSON', () => {
  it('is parsed line by line: an invalid line is one rejection, blank lines are skipped', async () => {
    const { status, body } = await sendLines([payload(), '', '  \r', '{"half":', payload(), '']);
    expect(status).toBe(200);
    expect(body.accepted).toBe(2);
    expect(body.events?.map((event) => event.index)).toEqual([0, 2]);
    expect(body.rejected).toMatchObject([{ index: 1, field: '', code: 'MALFORMED_JSON' }]);
  });

  it('keeps the bytes of complete lines, without carriage return', async () => {
    const line = JSON.stringify(payload());
    await send(`${line}\r\n ${line} \n`, NDJSON_TYPE);
    expect(running.consumer.events.map((event) => String(Buffer.from(event.encoded ?? [])))).toEqual([line, line]);
  });

  it('rejects a line over the size bound and accepts the next one', async () => {
    await restart({ maxEventSize: '1KiB' });
    const { status, body } = await sendLines([payload({ message: 'x'.repeat(300_000) }), payload()]);
    expect(status).toBe(200);
    expect(body.rejected).toMatchObject([{ index: 0, code: 'EVENT_TOO_LARGE' }]);
    expect(body.events?.map((event) => event.index)).toEqual([1]);
  });

  it('is forwarded while the rest is still arriving', async () => {
    const line = `${JSON.stringify(payload())}\n`;
    let source: ReadableStreamDefaultController | undefined;
    const stream = new ReadableStream({
      start(controller) {
        source = controller;
        controller.enqueue(Buffer.from(line.repeat(600)));
      },
    });
    const forwarded = new Promise<void>((resolve) => {
      running.consumer.before = () => resolve();
    });
    const response = post(running.url, stream, NDJSON_TYPE);
    await forwarded;
    source?.enqueue(Buffer.from(line));
    source?.close();
    expect((await response).body.accepted).toBe(601);
  });

  it('gets 503 with the accepted events and the next index if the store refuses half-way', async () => {
    running.consumer.before = () => {
      if (running.consumer.batches.length === 1)
        throw new Fault('STORE_UNAVAILABLE', 'the disk is full', { retryable: true });
    };
    const lines = ['{}', ...Array.from({ length: 1_000 }, () => payload())];
    const { status, headers, body } = await sendLines(lines);
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toBe('1');
    expect(body).toMatchObject({ code: 'STORE_UNAVAILABLE', rejected: [{ index: 0 }] });
    expect(body.accepted).toBe(running.consumer.events.length);
    expect(body.next_index).toBe(body.accepted + 1);
    running.consumer.before = () => {};
    const rest = await sendLines(lines.slice(body.next_index));
    expect(rest.body.accepted + body.accepted).toBe(1_000);
  });

  it('has its events accepted up to the limit, and gets the next index', async () => {
    await restart({ settings: { max_events_per_request: 3 } });
    const { status, body } = await sendLines([payload(), payload(), payload(), payload()]);
    expect(status).toBe(413);
    expect(body).toMatchObject({ code: 'TOO_MANY_EVENTS', accepted: 3, next_index: 3 });
  });
});

describe('a body', () => {
  it.each([
    ['empty JSON', '', JSON_TYPE, 400, 'BODY_EMPTY'],
    ['blank JSON', ' \n', JSON_TYPE, 400, 'BODY_EMPTY'],
    ['empty NDJSON', '', NDJSON_TYPE, 400, 'BODY_EMPTY'],
    ['half JSON', '{"app":"shop","me', JSON_TYPE, 400, 'MALFORMED_JSON'],
    ['not JSON', '<html>', JSON_TYPE, 400, 'MALFORMED_JSON'],
    ['plain text that is not JSON', 'hello', { 'content-type': 'text/plain' }, 400, 'MALFORMED_JSON'],
    ['HTML', '<html>', { 'content-type': 'text/html' }, 415, 'CONTENT_TYPE_UNSUPPORTED'],
    ['a form', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'CONTENT_TYPE_UNSUPPORTED'],
    ['an unknown encoding', '{}', { ...JSON_TYPE, 'content-encoding': 'lz4' }, 415, 'CONTENT_ENCODING_UNSUPPORTED'],
    ['a bad gzip', 'not gzip', { ...JSON_TYPE, 'content-encoding': 'gzip' }, 400, 'BODY_COMPRESSION_INVALID'],
  ])('of %s is refused as a problem document', async (_, text, headers, status, code) => {
    const response = await send(text, headers);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.body).toMatchObject({
      type: 'about:blank',
      title: expect.any(String),
      status,
      code,
      detail: expect.any(String),
    });
    expect(ledger()).toMatchObject({ received: 1, rejected: 1, reasons: { [code]: 1 } });
  });

  it('that is not JSON gets the byte position of the error', async () => {
    const { body } = await send('{"näme": 1, "b" 2}');
    expect(body.position).toBe(Buffer.byteLength('{"näme": 1, "b" '));
    expect(body.detail).toContain(`byte ${body.position}`);
  });

  it('is refused with a hint if the type is JSON and the content is lines', async () => {
    const { status, body } = await send(`${JSON.stringify(payload())}\n${JSON.stringify(payload())}\n`);
    expect(status).toBe(400);
    expect(body.detail).toContain('application/x-ndjson');
  });

  it.each(['APPLICATION/JSON', 'application/json; charset=utf-8', ' application/json ;x=y'])(
    'may name its type as "%s"',
    async (type) => {
      expect((await send(JSON.stringify(payload()), { 'content-type': type })).status).toBe(200);
    },
  );

  it('without a type is JSON', async () => {
    const { status } = await post(running.url, new Blob([JSON.stringify(payload())]), {});
    expect(status).toBe(200);
  });
});

describe('the ledger', () => {
  it('counts the outcome of every event', async () => {
    running.consumer.outcome = (event) =>
      event.payload.message === 'drop' ? { kind: 'dropped', as: 'filtered', reason: 'BY_RULE' } : undefined;
    await send(JSON.stringify([payload(), payload({ message: 'drop' }), {}]));
    running.consumer.before = () => {
      throw new Fault('STORE_CLOSING', 'closing', { retryable: true });
    };
    await send(JSON.stringify([payload(), payload()]));
    expect(ledger()).toEqual({
      received: 5,
      stored: 1,
      rejected: 1,
      filtered: 1,
      sampled: 0,
      refused: 2,
      reasons: { BY_RULE: 1, EVENT_INVALID: 1, STORE_CLOSING: 2 },
      cuts: {},
      lost_by_clients: {},
    });
  });

  it('counts an internal error as refused; the response is 500, and the log omits the event', async () => {
    running.consumer.before = () => {
      throw new TypeError('a bug');
    };
    const { status, body } = await send(JSON.stringify(payload({ message: 'private words' })));
    expect(status).toBe(500);
    expect(body.code).toBe('INTERNAL');
    expect(body.detail).not.toContain('a bug');
    expect(ledger()).toMatchObject({ received: 1, refused: 1, reasons: { INTERNAL: 1 } });
    expect(JSON.stringify(running.logged)).toContain('a bug');
    expect(JSON.stringify(running.logged)).not.toContain('private words');
  });

  it('causes no log line per event', async () => {
    await sendLines([payload(), payload(), '{}']);
    expect(running.logged).toEqual([]);
  });
});

function limits() {
  return {
    max_event_size: '16MiB',
    max_members: 10_000,
    max_string_length: 1_048_576,
    max_stack_length: 1_048_576,
    max_depth: 64,
    max_tags: 1_000,
  };
}
