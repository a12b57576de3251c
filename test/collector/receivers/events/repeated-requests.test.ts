import { Fault } from '../../../../core/event/fault.js';
import { serverPayload as payload } from '../../../helpers/payloads.js';
import { post } from '../../post.js';
import { type RunningReceiver, startReceiver } from '../../running-receiver.js';

let running: RunningReceiver;

beforeEach(async () => {
  running = await startReceiver();
});
afterEach(() => running.close());

const JSON_TYPE = 'application/json';
const event = (message: string) => JSON.stringify(payload({ message }));
const send = (key: string, body: string, type = JSON_TYPE) =>
  post(running.url, body, { 'content-type': type, 'idempotency-key': key });
const stored = () => running.consumer.events.map(({ payload: { message } }) => message);
const refusal = () => new Fault('STORE_UNAVAILABLE', 'the disk is full', { retryable: true });

describe('a request with an Idempotency-Key', () => {
  it('is processed once, and gets the same response the second time', async () => {
    const first = await send('k-1', event('once'));
    const second = await send('"k-1"', event('once'));
    expect(second.body).toEqual(first.body);
    expect([first, second].map(({ status, headers }) => [status, headers.get('idempotent-replayed')])).toEqual([
      [200, null],
      [200, 'true'],
    ]);
    expect(stored()).toEqual(['once']);
    await send('k-2', event('once'));
    expect(stored()).toEqual(['once', 'once']);
  });

  it.each(['00000000-0000-0000-0000-000000000000', '"00000000000000000000000000000000"'])(
    'that is nil, as %s, is processed each time',
    async (key) => {
      for (const message of ['one', 'two']) expect((await send(key, event(message))).status).toBe(200);
      expect(stored()).toEqual(['one', 'two']);
    },
  );

  it('waits for the first one while that is still running', async () => {
    const held = running.consumer.holdNext();
    const first = send('k', event('slow'));
    await held.arrived;
    const second = send('k', event('slow'));
    held.release();
    expect((await second).body.events?.[0]?.event_id).toBe((await first).body.events?.[0]?.event_id);
    expect(stored()).toEqual(['slow']);
  });

  it('is processed again if the first one was refused', async () => {
    running.consumer.before = () => {
      throw refusal();
    };
    expect((await send('k', event('later'))).status).toBe(503);
    running.consumer.before = () => undefined;
    expect((await send('k', event('later'))).status).toBe(200);
    expect((await send('k', event('later'))).headers.get('idempotent-replayed')).toBe('true');
    expect(stored()).toEqual(['later']);
  });

  it('stores only the rest if the first one was refused half-way', async () => {
    const lines = Array.from({ length: 1_200 }, (_, index) => event(`line ${index}`)).join('\n');
    let batches = 0;
    running.consumer.before = () => {
      batches++;
      if (batches === 2) throw refusal();
    };
    const refused = await send('k', lines, 'application/x-ndjson');
    expect([refused.status, refused.body.next_index]).toEqual([503, stored().length]);
    expect(stored().length).toBeGreaterThan(0);
    const done = await send('k', lines, 'application/x-ndjson');
    expect([done.status, done.body.accepted]).toEqual([200, 1_200]);
    expect(stored()).toEqual(Array.from({ length: 1_200 }, (_, index) => `line ${index}`));
  });

  it('with a long response gets the number of accepted events the second time', async () => {
    const list = `[${Array.from({ length: 500 }, () => event('many')).join()}]`;
    const first = await send('k', list);
    expect(first.body.events).toHaveLength(500);
    expect((await send('k', list)).body).toEqual({ accepted: 500 });
  });

  it('with a response over 1 KiB gets the number of accepted events the second time', async () => {
    const lines = `${event('a')}\n`.repeat(10);
    expect((await send('k', lines, 'application/x-ndjson')).body.events).toHaveLength(10);
    expect((await send('k', lines, 'application/x-ndjson')).body).toEqual({ accepted: 10 });
  });

  it('must have a key of 1 to 255 characters', async () => {
    for (const key of ['""', 'k'.repeat(256)]) {
      const response = await send(key, event('x'));
      expect([response.status, response.body.code]).toEqual([400, 'IDEMPOTENCY_KEY_INVALID']);
    }
    expect(stored()).toEqual([]);
  });

  it('is processed like any other if the window is 0', async () => {
    await running.close();
    running = await startReceiver({ settings: { idempotency_window: '0' } });
    await send('k', event('a'));
    await send('k', event('a'));
    expect(stored()).toEqual(['a', 'a']);
  });
});
