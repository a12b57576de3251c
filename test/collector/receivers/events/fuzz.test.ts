import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { RAW_PAYLOAD_KEYS } from '../../../../core/event/raw-payload.js';
import { serverPayload } from '../../../helpers/payloads.js';
import { post } from '../../post.js';
import { type RunningReceiver, startReceiver } from '../../running-receiver.js';

let running: RunningReceiver;

beforeAll(async () => {
  running = await startReceiver();
});
afterAll(() => running.close());

const anyKey = fc.oneof(fc.constantFrom(...RAW_PAYLOAD_KEYS, '__proto__', 'constructor', 'toString', ''), fc.string());
const anyPayload = fc.dictionary(anyKey, fc.jsonValue({ maxDepth: 4 }), { maxKeys: 20, noNullPrototype: true });
/** A valid payload with one field replaced by anything. */
const nearlyValid = fc
  .tuple(anyKey, fc.jsonValue({ maxDepth: 4 }))
  .map(([key, value]) => ({ ...serverPayload(), [key]: value }));

const jsonText = fc.oneof(anyPayload, nearlyValid).map((value) => JSON.stringify(value));
const mangled = fc.tuple(jsonText, fc.nat(), fc.nat(), fc.string()).map(([text, from, length, filler]) => {
  const start = from % (text.length + 1);
  return text.slice(0, start) + filler + text.slice(start + (length % 10));
});
const body: fc.Arbitrary<Uint8Array<ArrayBuffer>> = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((bytes) => new Uint8Array(bytes)),
  mangled.map(encode),
  fc.array(fc.oneof(jsonText, mangled), { maxLength: 5 }).map((parts) => encode(`[${parts.join(',')}]`)),
  fc.array(fc.oneof(jsonText, mangled), { maxLength: 5 }).map((parts) => encode(parts.join('\n'))),
  fc.string().map((text) => new Uint8Array(gzipSync(text))),
);
const headers = fc.record(
  {
    'content-type': fc.constantFrom(
      'application/json',
      'application/x-ndjson',
      'APPLICATION/JSON;charset=utf-8',
      'text/plain',
    ),
    'content-encoding': fc.constantFrom('gzip', 'deflate', 'br', 'identity', 'zstd'),
    prefer: fc.constantFrom('return=minimal', ';;,=', 'return="minimal"; x'),
  },
  { requiredKeys: [] },
);

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text));
}

function expectLedgerToAddUp(): void {
  const account = running.ledger.snapshot()['events'];
  expect(account?.received).toBe(
    (account?.stored ?? 0) +
      (account?.rejected ?? 0) +
      (account?.filtered ?? 0) +
      (account?.sampled ?? 0) +
      (account?.refused ?? 0),
  );
}

describe('any input', () => {
  it('as a body gets a status below 500, and the ledger adds up', async () => {
    await fc.assert(
      fc.asyncProperty(body, headers, async (bytes, given) => {
        const { status } = await post(running.url, bytes, given);
        expect(status).toBeLessThan(500);
        expectLedgerToAddUp();
      }),
    );
    expect(running.ledger.snapshot()['events']?.refused).toBe(0);
  });

  it('as a payload has the same outcome alone, in an array and on a line', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyPayload, nearlyValid), async (value) => {
        const text = JSON.stringify(value);
        const alone = await post(running.url, text);
        const listed = await post(running.url, `[${text}]`);
        const lined = await post(running.url, text, { 'content-type': 'application/x-ndjson' });
        expect([200, 422]).toContain(alone.status);
        expect([listed.status, lined.status]).toEqual([alone.status, alone.status]);
        expect([listed.body.rejected, lined.body.rejected]).toEqual([alone.body.rejected, alone.body.rejected]);
        expect(alone.body.accepted + alone.body.rejected.length).toBe(1);
        for (const { field, code } of alone.body.rejected) {
          expect(field).toMatch(/^(\/|$)/);
          expect(code).toBe('EVENT_INVALID');
        }
      }),
    );
    expectLedgerToAddUp();
    expect(running.logged).toEqual([]);
  });

  it('nested to any depth gets a status below 500', async () => {
    const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    const nested = (levels: number) =>
      JSON.stringify(serverPayload({ extra: null })).replace('"extra":null', `"extra":{"a":${deep(levels)}}`);
    expect((await post(running.url, deep(1_000_000))).status).toBeLessThan(500);
    expect((await post(running.url, nested(200_000))).status).toBe(422);
    expect((await post(running.url, nested(9_000))).status).toBe(200);
  });
});
