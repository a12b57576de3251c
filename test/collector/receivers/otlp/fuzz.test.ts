import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { anyValue, exceptionJson, logJson, logsBody, spanJson, tracesBody } from './bodies.js';
import { encodeByOracle } from './decode/oracle.js';
import { JSON_TYPE, PROTOBUF_TYPE, running, send, startOnce } from './running-otlp.js';

startOnce();

/** More than is parsed in one step. */
const PADDING = `{"padding":"${'x'.repeat(300_000)}",`;
const VALUES = { text: 'é😀', list: [-3, 1.5, null], map: { a: true } };
const LOGS = logsBody(logJson(), logJson({ a: 1 }, { body: anyValue(VALUES), flags: 1, droppedAttributesCount: 1 }));
const TRACES = tracesBody(
  spanJson(VALUES, { events: [exceptionJson()], status: { code: 2, message: 'm' } }),
  spanJson(),
);

interface Sample {
  readonly name: string;
  readonly path: '/v1/logs' | '/v1/traces';
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

const SAMPLES: readonly Sample[] = [
  { name: 'logs in JSON', path: '/v1/logs', headers: JSON_TYPE, body: Buffer.from(LOGS) },
  { name: 'traces in JSON', path: '/v1/traces', headers: JSON_TYPE, body: Buffer.from(TRACES) },
  {
    name: 'logs in protobuf',
    path: '/v1/logs',
    headers: PROTOBUF_TYPE,
    body: encodeByOracle('logs', JSON.parse(LOGS)),
  },
  {
    name: 'traces in protobuf',
    path: '/v1/traces',
    headers: PROTOBUF_TYPE,
    body: encodeByOracle('traces', JSON.parse(TRACES)),
  },
  {
    name: 'compressed logs',
    path: '/v1/logs',
    headers: { ...JSON_TYPE, 'content-encoding': 'gzip' },
    body: gzipSync(LOGS),
  },
  { name: 'logs in large JSON', path: '/v1/logs', headers: JSON_TYPE, body: Buffer.from(LOGS.replace('{', PADDING)) },
];
const sample = fc.constantFrom(...SAMPLES);
/** Bytes that mean something in JSON, and others. */
const byte = fc.oneof(fc.nat({ max: 255 }), fc.constantFrom(...Buffer.from('[]{}",:\\ 1a\0é')));

/** Sends a body, checks the form of the response and the account, and returns the status. */
async function statusOf({ path, headers, body }: Omit<Sample, 'name'>): Promise<number> {
  const reply = await send(body, headers, { path });
  expect(reply.type).toBe(headers['content-type']);
  if (reply.type === JSON_TYPE['content-type']) expect(typeof JSON.parse(reply.text)).toBe('object');
  const { received = 0, stored = 0, rejected = 0, filtered = 0, refused } = running.account() ?? {};
  expect([received, refused]).toEqual([stored + rejected + filtered, 0]);
  return reply.status;
}

describe('a request', () => {
  it.each(SAMPLES)('is accepted whole: $name', async (whole) => {
    expect(await statusOf(whole)).toBe(200);
  });

  it('gets 400 if it is cut at any byte', async () => {
    await fc.assert(
      fc.asyncProperty(sample, fc.nat(), async (whole, place) => {
        // Nothing at all is a request without records in protobuf.
        const end = 1 + (place % (whole.body.length - 1));
        expect(await statusOf({ ...whole, body: whole.body.subarray(0, end) })).toBe(400);
      }),
    );
  });

  it('gets 200 or 400 if some of its bytes are others', async () => {
    const changes = fc.array(fc.tuple(fc.nat(), byte), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(sample, changes, async (whole, others) => {
        const body = Buffer.from(whole.body);
        const start = Math.max(0, body.indexOf('"resourceLogs"'));
        for (const [place, other] of others) body[start + (place % (body.length - start))] = other;
        expect([200, 400]).toContain(await statusOf({ ...whole, body }));
      }),
    );
  });

  it('gets 200 or 400 if all of its bytes are random', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), sample, async (bytes, { path, headers }) => {
        expect([200, 400]).toContain(await statusOf({ path, headers, body: Buffer.from(bytes) }));
      }),
    );
  });
});
