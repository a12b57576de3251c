import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { exceptionJson, logJson, logProtobuf, logsBody, spanJson, tracesBody } from './bodies.js';
import { running, send, startForEachTest } from './running-otlp.js';

startForEachTest();

const JSON_TYPE = 'application/json';
const PROTOBUF_TYPE = 'application/x-protobuf';
const LOGS = logsBody(logJson(), logJson({ a: 1 }, { body: { kvlistValue: { values: [] } } }));
const TRACES = tracesBody(spanJson({}, { events: [exceptionJson()] }));

/** Sends a body, checks the form of the response and returns its status. */
async function statusOf(path: string, type: string, body: Uint8Array, encoding?: string): Promise<number> {
  const headers = { 'content-type': type, ...(encoding !== undefined && { 'content-encoding': encoding }) };
  const reply = await send(body, headers, { path });
  expect(reply.type).toBe(type);
  if (type === JSON_TYPE) expect(typeof JSON.parse(reply.text)).toBe('object');
  return reply.status;
}

/** Sends every proper prefix of a body, eight at a time; returns the number of responses by status. */
async function truncations(
  path: string,
  type: string,
  body: Uint8Array,
  encoding?: string,
): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  for (let first = 0; first < body.length; first += 8) {
    const lengths = Array.from({ length: Math.min(8, body.length - first) }, (_, index) => first + index);
    const replies = await Promise.all(
      lengths.map((length) => statusOf(path, type, body.subarray(0, length), encoding)),
    );
    for (const status of replies) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  return statuses;
}

describe('a truncated request', () => {
  it.each([
    ['logs as JSON', '/v1/logs', JSON_TYPE, Buffer.from(LOGS), undefined],
    ['traces as JSON', '/v1/traces', JSON_TYPE, Buffer.from(TRACES), undefined],
    ['logs as protobuf', '/v1/logs', PROTOBUF_TYPE, logProtobuf('boom'), undefined],
    ['compressed logs', '/v1/logs', JSON_TYPE, gzipSync(LOGS), 'gzip'],
  ])('after any byte of %s gets 400, or 200 if it is complete', async (_, path, type, body, encoding) => {
    const statuses = await truncations(path, type, body, encoding);
    expect([...statuses.keys()].filter((status) => status !== 200 && status !== 400)).toEqual([]);
    expect(statuses.get(400)).toBeGreaterThan(0);
    const { received = 0, stored, rejected, filtered, refused } = running.account() ?? {};
    expect(received).toBe((stored ?? 0) + (rejected ?? 0) + (filtered ?? 0) + (refused ?? 0));
    expect(await statusOf(path, type, body, encoding)).toBe(200);
  });
});

describe('a request of random bytes', () => {
  it('gets 200 or 400', async () => {
    const mutated = fc
      .tuple(
        fc.constantFrom(Buffer.from(LOGS), logProtobuf('x')),
        fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 6 }),
      )
      .map(([body, changes]) => {
        const copy = Buffer.from(body);
        for (const [index, byte] of changes) copy[index % copy.length] = byte;
        return copy;
      });
    const bodies = fc.oneof(fc.uint8Array({ maxLength: 300 }), mutated);
    await fc.assert(
      fc.asyncProperty(
        bodies,
        fc.constantFrom(JSON_TYPE, PROTOBUF_TYPE),
        fc.constantFrom('/v1/logs', '/v1/traces'),
        async (body, type, path) => {
          expect([200, 400]).toContain(await statusOf(path, type, body));
        },
      ),
    );
  });
});
