import { gzipSync } from 'node:zlib';
import { IngestMemory, ingestBytesOf } from '../../../collector/component/ingest-memory.js';
import { serverPayload } from '../../helpers/payloads.js';
import type { HeldBatch } from '../memory-consumer.js';
import { post } from '../post.js';
import { logJson, logsBody } from '../receivers/otlp/bodies.js';
import { startOtlp } from '../receivers/otlp/running-otlp.js';
import { type RunningReceiver, startReceiver } from '../running-receiver.js';

const JSON_TYPE = { 'content-type': 'application/json' };
const event = (length: number) => JSON.stringify(serverPayload({ message: 'x'.repeat(length) }));

describe('the memory of all requests', () => {
  it('is refused above its limit, permanently if one request alone exceeds it', () => {
    const memory = new IngestMemory(100);
    const [one, other] = [memory.begin(), memory.begin()];
    one.acquire(60);
    expect(() => other.acquire(60)).toThrow(expect.objectContaining({ code: 'RECEIVER_BUSY', retryable: true }));
    expect(() => other.expect(101)).toThrow(expect.objectContaining({ code: 'BODY_TOO_LARGE', retryable: false }));
    expect(() => one.acquire(60)).toThrow(expect.objectContaining({ code: 'BODY_TOO_LARGE', retryable: false }));
    other.acquire(40);
    one.releaseAll();
    one.releaseAll();
    other.release(40);
    one.acquire(100);
  });

  it('has the size of the setting, or a share of the memory that the process may use', () => {
    expect(ingestBytesOf({ max_memory: '10MiB' })).toBe(10 * 2 ** 20);
    const byDefault = ingestBytesOf({ max_memory: '0' });
    expect(byDefault).toBeGreaterThan(0);
    expect(byDefault).toBeLessThanOrEqual(256 * 2 ** 20);
  });
});

describe('events while another request holds most of the memory', () => {
  let running: RunningReceiver;
  let held: HeldBatch;
  let first: ReturnType<typeof post>;
  beforeEach(async () => {
    running = await startReceiver({ maxMemory: 100_000 });
    held = running.consumer.holdNext();
    first = post(running.url, event(60_000), JSON_TYPE);
    await held.arrived;
  });
  afterEach(async () => {
    held.release();
    expect((await first).status).toBe(200);
    expect((await post(running.url, event(60_000), JSON_TYPE)).status).toBe(200);
    await running.close();
  });

  it.each([
    ['of an announced length', event(60_000), {}],
    ['compressed', gzipSync(event(60_000)), { 'content-encoding': 'gzip' }],
    ['of many lines', `${event(10)}\n${event(60_000)}\n`, { 'content-type': 'application/x-ndjson' }],
  ])('%s are refused with 503 and Retry-After, and counted', async (_, body, headers) => {
    const { status, headers: answered, body: problem } = await post(running.url, body, { ...JSON_TYPE, ...headers });
    expect([status, problem.code, answered.get('retry-after')]).toEqual([503, 'RECEIVER_BUSY', '1']);
    expect(running.ledger.snapshot()['events']).toMatchObject({ refused: 1, reasons: { RECEIVER_BUSY: 1 } });
  });
});

it('OTLP over HTTP is refused while another request holds most of the memory', async () => {
  const running = await startOtlp({ maxMemory: 100_000 });
  const held = running.consumer.holdNext();
  const body = logsBody(logJson({ 'exception.type': 'T', 'exception.message': 'x'.repeat(60_000) }));
  const send = () => post(`${running.httpUrl}/v1/logs`, body, JSON_TYPE);
  const first = send();
  await held.arrived;
  const refused = await send();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  expect(running.account()?.reasons).toEqual({ RECEIVER_BUSY: 1 });
  held.release();
  expect((await first).status).toBe(200);
  expect(running.meters.samples('faultline_ingest_held_bytes')[0]?.value).toBe(0);
  await running.close();
});
