import { deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { post } from '../../post.js';
import { type ReceiverVariant, type RunningReceiver, startReceiver } from '../../running-receiver.js';
import { compressedLines, failureLines, snappyBomb, zstdBomb } from './compressed-lines.js';

const FILES = [
  ['zstd', 'zstd-klauspost-stream.bin'],
  ['zstd', 'zstd-klauspost-one-call.bin'],
  ['zstd', 'zstd-level-19.bin'],
  ['snappy', 'snappy-block.bin'],
  // Older Collectors send the framing format under this name.
  ['snappy', 'snappy-framed.bin'],
  ['x-snappy-framed', 'snappy-framed.bin'],
] as const;
const ACCEPTED = 'gzip, deflate, zlib, br, zstd, snappy, x-snappy-framed';

let running: RunningReceiver;

async function start(variant: ReceiverVariant = {}): Promise<void> {
  running = await startReceiver(variant);
}
afterEach(() => running.close());

function sendAs(encoding: string, body: Uint8Array) {
  const headers = { 'content-type': 'application/x-ndjson', 'content-encoding': encoding, prefer: 'return=minimal' };
  return post(running.url, new Uint8Array(body), headers);
}

const lines = failureLines().trimEnd().split('\n');
const received = () => running.consumer.events.map(({ payload }) => payload.message);
const sent = lines.map((line) => JSON.parse(line).message);

describe('a body of POST /v1/events', () => {
  it.each(FILES)('is decoded from %s, file %s', async (encoding, file) => {
    await start();
    const { status, body } = await sendAs(encoding, compressedLines(file));
    expect([status, body.accepted]).toEqual([200, lines.length]);
    expect(received()).toEqual(sent);
  });

  it('is decoded from zlib, the name that Collectors have for deflate', async () => {
    await start();
    expect((await sendAs('zlib', deflateSync(failureLines()))).body.accepted).toBe(lines.length);
  });

  it.each(FILES)('is decoded from %s however it is cut into chunks, file %s', async (encoding, file) => {
    await start();
    const whole = compressedLines(file);
    // A prime number of bytes, so that every element is cut somewhere; the first chunk is one byte.
    const ends = [0, 1, ...Array.from({ length: Math.floor(whole.length / 97) }, (_, index) => (index + 1) * 97)];
    const chunks = [...ends, whole.length].map((end, index, all) => whole.subarray(all[index - 1] ?? 0, end));
    const stream = new ReadableStream({
      pull(controller) {
        const chunk = chunks.shift();
        if (chunk === undefined) controller.close();
        else if (chunk.length > 0) controller.enqueue(chunk);
      },
    });
    const headers = { 'content-type': 'application/x-ndjson', 'content-encoding': encoding };
    const init = { method: 'POST', body: stream, headers, duplex: 'half' };
    expect((await fetch(running.url, init as RequestInit)).status).toBe(200);
    expect(received()).toEqual(sent);
  });

  it('of several frames, also skippable ones, is decoded completely', async () => {
    await start();
    const skippable = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
    const [zstd, framed] = [compressedLines('zstd-level-19.bin'), compressedLines('snappy-framed.bin')];
    expect((await sendAs('zstd', Buffer.concat([zstd, skippable, zstd]))).body.accepted).toBe(2 * lines.length);
    const padding = Buffer.from([0xfe, 2, 0, 0, 0, 0]);
    expect((await sendAs('snappy', Buffer.concat([framed, padding, framed]))).body.accepted).toBe(2 * lines.length);
  });

  it.each(FILES)('is refused with 400 if its end is missing, or its begin: %s, file %s', async (encoding, file) => {
    await start();
    const whole = compressedLines(file);
    const cuts = [
      whole.subarray(0, 1),
      whole.subarray(0, 9),
      whole.subarray(0, -1),
      whole.subarray(0, -100),
      whole.subarray(3),
    ];
    for (const cut of cuts) {
      const { status, body } = await sendAs(encoding, cut);
      expect([status, body.code]).toEqual([400, 'BODY_COMPRESSION_INVALID']);
    }
    expect((await sendAs(encoding, whole)).status).toBe(200);
  });

  it('of the framing format with another checksum is refused with 400', async () => {
    await start();
    const whole = compressedLines('snappy-framed.bin');
    whole.writeUInt8((whole[14] ?? 0) ^ 1, 14);
    expect((await sendAs('snappy', whole)).body.code).toBe('BODY_COMPRESSION_INVALID');
  });

  it('that is hostile is refused with 4xx or read, never a server error', async () => {
    await start();
    const damaged = fc.tuple(fc.constantFrom(...FILES), fc.nat(), fc.integer({ min: 1, max: 255 }), fc.nat(40));
    await fc.assert(
      fc.asyncProperty(damaged, async ([[encoding, file], at, bits, more]) => {
        const bytes = Buffer.from(compressedLines(file));
        for (const offset of [at % bytes.length, at % 64, (at + more) % bytes.length]) {
          bytes[offset] = (bytes[offset] ?? 0) ^ bits;
        }
        const { status } = await sendAs(encoding, bytes);
        expect([200, 400, 413, 422]).toContain(status);
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('zstd', 'snappy'), fc.uint8Array({ minLength: 1 }), async (encoding, bytes) => {
        expect([200, 400, 413, 422]).toContain((await sendAs(encoding, bytes)).status);
      }),
    );
    expect((await sendAs('zstd', compressedLines('zstd-level-19.bin'))).status).toBe(200);
  });
});

describe('a bomb', () => {
  it.each([
    ['zstd', zstdBomb(2 ** 30)],
    ['snappy', snappyBomb(2 ** 24)],
    ['snappy', snappyBomb(2 ** 10, 2 ** 32 - 1)],
    ['zstd', zstdBomb(2 ** 17, 24)],
    ['zstd', zstdBomb(2 ** 17, 41)],
  ])('of %s is refused with 413, and nothing near its size is held', async (encoding, bomb) => {
    await start({ settings: { max_request_body_size: '2MiB' } });
    const { arrayBuffers } = process.memoryUsage();
    for (let round = 0; round < 5; round++) {
      const { status, body } = await sendAs(encoding, bomb);
      if (bomb.length < 2 ** 21) expect([status, body.code]).toEqual([413, 'BODY_TOO_LARGE']);
    }
    expect(process.memoryUsage().arrayBuffers - arrayBuffers).toBeLessThan(2 ** 29);
  });

  it('of Snappy counts in the memory of all requests before it is decoded, and no longer than its request', async () => {
    await start({ maxMemory: 2 ** 20 });
    const small = compressedLines('snappy-block.bin');
    for (const bomb of [snappyBomb(2 ** 21), snappyBomb(2 ** 19, 2 ** 20 - 1), snappyBomb(2 ** 21, 2 ** 22)]) {
      const { status, body } = await sendAs('snappy', bomb);
      expect([400, 413]).toContain(status);
      expect(['BODY_TOO_LARGE', 'BODY_COMPRESSION_INVALID']).toContain(body.code);
      expect((await sendAs('snappy', small)).body.accepted).toBe(lines.length);
    }
  });

  it('does not keep other requests waiting', async () => {
    await start();
    const bomb = zstdBomb(2 ** 30);
    let isOver = false;
    const refused = sendAs('zstd', bomb).finally(() => {
      isOver = true;
    });
    let others = 0;
    while (!isOver) {
      expect((await sendAs('gzip', gzipSync(lines[0] ?? ''))).status).toBe(200);
      others++;
    }
    expect((await refused).status).toBe(413);
    expect(others).toBeGreaterThan(0);
  });

  it('of a Snappy copy before the block, or behind its end, is refused with 400', async () => {
    await start();
    for (const block of [
      [8, 0, 0x20, 30, 9, 0],
      [8, 0, 0x20, 30, 0, 0],
      [4, 0, 0x20, (63 << 2) | 2, 1, 0],
      [0xff, 0xff, 0xff, 0xff, 0xff],
    ]) {
      expect((await sendAs('snappy', Buffer.from(block))).body.code).toBe('BODY_COMPRESSION_INVALID');
    }
  });
});

describe('an encoding that is not supported', () => {
  it('is refused with the accepted ones, and logged once for each sender', async () => {
    await start();
    for (const encoding of ['lz4', 'compress', 'gzip, zstd', '__proto__']) {
      const { status, headers, body } = await sendAs(encoding, Buffer.from('x'));
      expect([status, headers.get('accept-encoding')]).toEqual([415, ACCEPTED]);
      expect(body).toMatchObject({ code: 'CONTENT_ENCODING_UNSUPPORTED', detail: expect.stringContaining(ACCEPTED) });
    }
    const warnings = running.logged.filter(({ code }) => code === 'CONTENT_ENCODING_UNSUPPORTED');
    expect(warnings).toMatchObject([
      { level: 40, component: 'events', peer: '127.0.0.1', msg: expect.stringContaining('lz4') },
    ]);
  });
});
