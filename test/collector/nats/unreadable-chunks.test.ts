/** A chunk that cannot be read harms neither the gateway nor the events around it. */
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { v4, v7 } from 'uuid';
import { formatPosition } from '../../../collector/nats/chunk.js';
import type { EventId } from '../../../core/event/ids.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import { deadLettersOf } from '../../helpers/dead-letters.js';
import { createMemoryNats, type MemoryNats } from '../../helpers/nats/memory-transport.js';
import { kindOfFailure } from '../../helpers/payloads.js';
import { removeTemporaryFolders } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';
import {
  failures,
  GATEWAY_INGEST_BYTES,
  type Gateway,
  startGateway,
  startSidecar,
  stopFleet,
} from './fleet-under-test.js';

const STREAM = 'faultline-events';
const SUBJECT = 'faultline.events.3';
const MIB = 1024 * 1024;

afterEach(async () => {
  await stopFleet();
  await removeTemporaryFolders();
});

async function gatewayOf(nats: MemoryNats): Promise<Gateway> {
  const gateway = await startGateway(nats);
  // Messages are kept only for consumers that exist.
  await waitFor('the consumers', () => nats.consumers(STREAM) === 16);
  return gateway;
}

/** Events of one issue, so that all are in one partition. */
const failuresOfOne = (count: number) => failures(count, 1);

const positionAt = (micros: number) => ({ receivedAtMicros: micros, taken: 1, passed: 1 });

interface MessageChanges {
  readonly source?: string;
  readonly to?: number;
  readonly part?: number;
  readonly parts?: number;
}

/** A message of a chunk with any content. */
function messageOf(content: Uint8Array, { source = v4(), to = 10, part = 0, parts = 1 }: MessageChanges = {}): Buffer {
  const head = { version: 1, source, epoch: 1, to: formatPosition(positionAt(to)), part, parts };
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), content]);
}

const compressed = (plain: string | Buffer): Buffer =>
  brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });

const idText = (): EventId => v7() as EventId;
const lineOf = (payload: RawPayload): string => JSON.stringify(payload);

/** A chunk of partition 3 that ends at 10 and lists these events. */
function chunkOf(events: readonly unknown[], lines: readonly string[]): Buffer {
  const position = formatPosition(positionAt(1));
  const head = { host: 'h', partition: 3, floor: position, after: position, exact: true, events };
  return messageOf(compressed([JSON.stringify(head), ...lines].map((line) => `${line}\n`).join('')));
}

const at = (micros: number): string => formatPosition(positionAt(micros));
const line = lineOf(kindOfFailure(1));

it('acknowledges chunks that inflate to 40 MB, keeps them as dead letters, and takes the events of others', async () => {
  const nats = createMemoryNats();
  const gateway = await gatewayOf(nats);
  const sidecar = await startSidecar(nats);
  const bomb = compressed(Buffer.alloc(40 * MIB, '{'));
  await Promise.all([1, 2, 3].map(() => nats.connect().publish(SUBJECT, messageOf(bomb))));
  const stored = await sidecar.send(failuresOfOne(20));
  await waitFor('the events', async () => (await gateway.events()) === stored.length);
  await waitFor('the bombs', () => gateway.ledger.snapshot()['nats']?.rejected === 3);
  // The stream keeps what nobody acknowledged.
  await waitFor('the acknowledgements', () => nats.stored(STREAM).length === 0);
  expect(gateway.ledger.snapshot()['nats']?.reasons).toEqual({ BODY_TOO_LARGE: 3 });
  expect(gateway.metric('faultline_ingest_held_bytes')).toBe(0);
  await gateway.stop();
  const letters = await deadLettersOf(gateway.directory);
  expect(letters.map((letter) => [letter?.code, letter?.receiver])).toEqual(
    [1, 2, 3].map(() => ['BODY_TOO_LARGE', 'nats']),
  );
});

it.each([
  ['is damaged', () => messageOf(Buffer.from('not brotli'))],
  ['is cut', () => messageOf(compressed(Buffer.alloc(2 * MIB, 'x')).subarray(0, -3))],
  ['does not begin with JSON', () => Buffer.from('hello')],
  ['has a head that is not an object', () => messageOf(compressed('[]\n'))],
  ['has a head of a megabyte', () => messageOf(compressed(`{"a":"${'x'.repeat(MIB)}"}\n`))],
  ['has no events', () => chunkOf([], [])],
  ['lists fewer events than it has', () => chunkOf([[idText(), at(10)]], [line, line])],
  [
    'lists more events than it has',
    () =>
      chunkOf(
        [idText(), idText()].map((id, n) => [id, at(9 + n)]),
        [line],
      ),
  ],
  ['lists a hundred thousand events', () => chunkOf(new Array(100_000).fill([idText(), at(10)]), [line])],
  ['ends elsewhere than it says', () => chunkOf([[idText(), at(11)]], [line])],
  [
    'begins before its range',
    () =>
      chunkOf(
        [0, 10].map((micros) => [idText(), at(micros)]),
        [line, line],
      ),
  ],
  [
    'has events out of order',
    () =>
      chunkOf(
        [7, 6, 10].map((micros) => [idText(), at(micros)]),
        [line, line, line],
      ),
  ],
  ['has a part beyond its parts', () => messageOf(compressed('{}\n'), { part: 3, parts: 2 })],
])('acknowledges, counts and keeps a chunk that %s', async (_, message) => {
  const nats = createMemoryNats();
  const gateway = await gatewayOf(nats);
  await nats.connect().publish(SUBJECT, message());
  await waitFor('the message', () => gateway.ledger.snapshot()['nats']?.rejected === 1);
  await waitFor('the acknowledgement', () => nats.stored(STREAM).length === 0);
  expect(gateway.metric('faultline_ingest_held_bytes')).toBe(0);
  expect(await gateway.events()).toBe(0);
});

it('holds parts of chunks that never come whole within half of the ingest memory', async () => {
  const nats = createMemoryNats();
  const gateway = await gatewayOf(nats);
  const sidecar = await startSidecar(nats);
  const part = Buffer.alloc(700 * 1024, 'x');
  const connection = nats.connect();
  for (let count = 0; count < 40; count += 1) {
    await connection.publish(SUBJECT, messageOf(part, { part: 0, parts: 64 }));
  }
  await waitFor('the parts', () => nats.stored(STREAM).length === 0);
  const held = gateway.metric('faultline_ingest_held_bytes');
  expect(held).toBeGreaterThan(0);
  expect(held).toBeLessThanOrEqual(GATEWAY_INGEST_BYTES / 2);
  const stored = await sidecar.send(failuresOfOne(5));
  await waitFor('the events', async () => (await gateway.events()) === stored.length);
});

it('waits while other requests hold the memory, and then stores the chunk', async () => {
  const nats = createMemoryNats();
  const gateway = await gatewayOf(nats);
  const sidecar = await startSidecar(nats);
  const others = gateway.ingest.begin();
  others.acquire(GATEWAY_INGEST_BYTES);
  const stored = await sidecar.send(failuresOfOne(5));
  await waitFor('a refusal', () => gateway.metric('faultline_ingest_refused_requests') > 0);
  expect(await gateway.events()).toBe(0);
  others.releaseAll();
  await waitFor('the events', async () => (await gateway.events()) === stored.length);
  expect(gateway.ledger.snapshot()['nats']).toMatchObject({ rejected: 0, stored: 5 });
});

/** Changes the content of the chunks that a sidecar sends. */
function changing(nats: MemoryNats, change: (body: Uint8Array, count: number) => Uint8Array): MemoryNats {
  let count = 0;
  return {
    ...nats,
    connect() {
      const transport = nats.connect();
      const publish = transport.publish.bind(transport);
      transport.publish = (subject, body, options) => {
        if (!subject.startsWith('faultline.events.')) return publish(subject, body, options);
        count += 1;
        return publish(subject, change(body, count), options);
      };
      return transport;
    },
  };
}

/** The message without its end: brotli has no checksum, so that other damage may go unnoticed. */
const damaged = (body: Uint8Array): Uint8Array => body.subarray(0, -6);

it('gets the events of a chunk that was damaged on its way again', async () => {
  const nats = createMemoryNats();
  const gateway = await gatewayOf(nats);
  const sidecar = await startSidecar(changing(nats, (body, count) => (count === 1 ? damaged(body) : body)));
  const stored = await sidecar.send(failuresOfOne(5));
  await waitFor('the events', async () => (await gateway.events()) === stored.length);
  await waitFor('the marks', () => sidecar.exporter.stats().waiting === 0);
  expect(gateway.ledger.snapshot()['nats']).toMatchObject({ rejected: 1, stored: 5 });
  expect(gateway.metric('faultline_receiver_lost_chunks')).toBe(0);
});

/** Damages each chunk with an event of this request. */
const damagesRequest = (requestId: string) => (body: Uint8Array) => {
  const content = brotliDecompressSync(body.subarray(body.indexOf(0x0a) + 1)).toString();
  return content.includes(requestId) ? damaged(body) : body;
};

it.each(['follow', 'do not follow'])(
  'counts a chunk as lost that is unreadable each time, and lets its source go on if events %s',
  async (how) => {
    const nats = createMemoryNats();
    const gateway = await gatewayOf(nats);
    const sidecar = await startSidecar(changing(nats, damagesRequest('unreadable')));
    const before = await sidecar.send(failuresOfOne(3));
    await waitFor('the events before', async () => (await gateway.events()) === before.length);
    await sidecar.send([kindOfFailure(1, { request_id: 'unreadable' })]);
    await waitFor('the damaged chunk', () => (gateway.ledger.snapshot()['nats']?.rejected ?? 0) > 0);
    if (how === 'follow') await sidecar.send(failuresOfOne(4));
    await waitFor('the lost chunk', () => gateway.metric('faultline_receiver_lost_chunks') === 1);
    await waitFor('the marks', () => sidecar.exporter.stats().waiting === 0);
    const after = await sidecar.send(failuresOfOne(4));
    for (const { event_id: eventId } of [...before, ...after]) {
      await waitFor('an event', async () => (await gateway.find(eventId)) !== undefined);
    }
    expect(gateway.ledger.snapshot()['nats']).toMatchObject({ rejected: 3 });
    expect(gateway.metric('faultline_receiver_lost_chunks')).toBe(1);
  },
);
