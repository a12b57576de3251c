import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { serverPayload as payload } from '../../../helpers/payloads.js';
import { waitFor } from '../../../helpers/wait-for.js';
import { post } from '../../post.js';
import { openRawConnection, rawPost } from '../../raw-connection.js';
import { type ReceiverVariant, type RunningReceiver, startReceiver } from '../../running-receiver.js';

let running: RunningReceiver;

async function start(variant: ReceiverVariant = {}): Promise<void> {
  running = await startReceiver(variant);
}
afterEach(() => running.close());

const text = JSON.stringify(payload());
const reasons = () => running.ledger.snapshot()['events']?.reasons;

function sendAs(encoding: string, body: Uint8Array, type = 'application/json') {
  return post(running.url, new Uint8Array(body), { 'content-type': type, 'content-encoding': encoding });
}

describe('a compressed body', () => {
  it.each([
    ['gzip', gzipSync(text)],
    ['GZip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['br', brotliCompressSync(text)],
    ['identity', Buffer.from(text)],
  ])('is decoded from %s', async (encoding, body) => {
    await start();
    expect((await sendAs(encoding, body)).status).toBe(200);
    expect(running.consumer.events[0]?.payload).toEqual(payload());
  });

  it('of several gzip members is decoded completely', async () => {
    await start();
    const lines = Buffer.concat([gzipSync(`${text}\n`), gzipSync(`${text}\n`)]);
    expect((await sendAs('gzip', lines, 'application/x-ndjson')).body.accepted).toBe(2);
  });

  it.each([
    ['gzip', gzipSync(text).subarray(0, -12)],
    ['deflate', deflateSync(text).subarray(0, -8)],
    ['br', brotliCompressSync(text).subarray(0, -8)],
    ['br', Buffer.from('hello hello')],
    ['deflate', Buffer.from('hello hello')],
  ])('as %s that is truncated or corrupted is refused with 400', async (encoding, body) => {
    await start();
    const response = await sendAs(encoding, body);
    expect(response.status).toBe(400);
    expect(response.body.code).toBe('BODY_COMPRESSION_INVALID');
  });

  it.each(['application/json', 'application/x-ndjson'])(
    'that exceeds the limit is stopped with 413, as %s',
    async (type) => {
      await start({ settings: { max_request_body_size: '1MiB' } });
      const largeBody = gzipSync(Buffer.alloc(20 * 1024 * 1024, ' '));
      expect(largeBody.length).toBeLessThan(1024 * 1024);
      const response = await sendAs('gzip', largeBody, type);
      expect(response.status).toBe(413);
      expect(response.body.code).toBe('BODY_TOO_LARGE');
    },
  );
});

describe('a large body', () => {
  it('is refused by its Content-Length, before it is sent', async () => {
    await start({ settings: { max_request_body_size: '1KiB' } });
    const connection = await openRawConnection(running.port);
    connection.write('POST /v1/events HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5000\r\n\r\n');
    expect(await connection.receive(/\}$/)).toMatch(/^HTTP\/1\.1 413 .*BODY_TOO_LARGE/s);
    connection.socket.destroy();
  });

  it('without a length is refused while it is sent, and the client can read the response', async () => {
    await start({ settings: { max_request_body_size: '64KiB' } });
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(Buffer.alloc(16_384, 'x')),
    });
    const { status, body } = await post(running.url, endless);
    expect(status).toBe(413);
    expect(body.code).toBe('BODY_TOO_LARGE');
  });

  it('leaves the connection usable for no further request', async () => {
    await start({ settings: { max_request_body_size: '1KiB' } });
    const connection = await openRawConnection(running.port);
    connection.write(rawPost('x'.repeat(5_000)));
    expect(await connection.untilClosed()).toMatch(/connection: close/i);
  });
});

describe('a client', () => {
  it('that stops in the middle gets 408', async () => {
    await start({ stallTimeoutMs: 50 });
    const connection = await openRawConnection(running.port);
    connection.write(rawPost('x'.repeat(100)).slice(0, -50));
    expect(await connection.untilClosed()).toMatch(/^HTTP\/1\.1 408 .*BODY_STALLED/s);
  });

  it('that waits because of our backpressure does not get 408', async () => {
    await start({ stallTimeoutMs: 50 });
    let release: (() => void) | undefined;
    running.consumer.before = () =>
      new Promise((resolve) => {
        release = resolve;
      });
    const held = await openRawConnection(running.port);
    const lines = `${text}\n`.repeat(1_200);
    held.write(rawPost(lines).replace('application/json', 'application/x-ndjson').slice(0, -10));
    await waitFor('a held batch', () => release !== undefined);
    const stopped = await openRawConnection(running.port);
    stopped.write(rawPost(text).slice(0, -10));
    await stopped.receive(/BODY_STALLED/);
    running.consumer.before = () => {};
    release?.();
    held.write(lines.slice(-10));
    expect(await held.receive(/\]\}$/)).toMatch(/^HTTP\/1\.1 200 /);
    held.socket.destroy();
    stopped.socket.destroy();
  });

  it('that disconnects has its complete lines stored, the incomplete one not, and the ledger adds up', async () => {
    await start();
    const connection = await openRawConnection(running.port);
    const request = rawPost(`${text}\n${text}\n${text}`).replace('application/json', 'application/x-ndjson');
    connection.write(request.slice(0, -20));
    connection.socket.end();
    await waitFor('the abort to be counted', () => reasons()?.['BODY_ABORTED'] === 1);
    expect(running.consumer.events).toHaveLength(2);
    expect(running.ledger.snapshot()['events']).toMatchObject({ received: 3, stored: 2, rejected: 1 });
    connection.socket.destroy();
  });

  it('that disconnects while a batch is being stored has all complete lines stored', async () => {
    await start();
    let release: (() => void) | undefined;
    running.consumer.before = () =>
      new Promise((resolve) => {
        release = resolve;
      });
    const connection = await openRawConnection(running.port);
    const lines = `${text}\n`.repeat(3_000);
    connection.write(rawPost(`${lines}${text}`).replace('application/json', 'application/x-ndjson').slice(0, -20));
    await waitFor('a held batch', () => release !== undefined);
    connection.socket.resetAndDestroy();
    await waitFor('another request', async () => (await post(running.url, '[]')).status === 200);
    running.consumer.before = () => {};
    release?.();
    await waitFor('the abort to be counted', () => reasons()?.['BODY_ABORTED'] === 1);
    const { received, stored, rejected } = running.ledger.snapshot()['events'] ?? {};
    expect(rejected).toBe(1);
    expect(stored).toBe(running.consumer.events.length);
    expect(received).toBe(running.consumer.events.length + 1);
    expect(running.consumer.batches.length).toBeGreaterThanOrEqual(1);
  });

  it('that resets the connection affects no others', async () => {
    await start();
    const connection = await openRawConnection(running.port);
    connection.write(rawPost(text).slice(0, -20));
    connection.socket.resetAndDestroy();
    await waitFor('the abort to be counted', () => reasons()?.['BODY_ABORTED'] === 1);
    expect((await post(running.url, text)).status).toBe(200);
  });

  it('that closes its half after the request gets a response', async () => {
    await start();
    const connection = await openRawConnection(running.port);
    connection.socket.end(rawPost(text));
    expect(await connection.untilClosed()).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('that pipelines requests gets the responses in order', async () => {
    await start();
    const connection = await openRawConnection(running.port);
    connection.write(rawPost(text) + rawPost('[]') + rawPost('nope') + rawPost(text, ['connection: close']));
    const received = await connection.untilClosed();
    expect([...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual([
      '200',
      '200',
      '400',
      '200',
    ]);
  });
});
