/** The NATS that other tests use behaves as the real one, and fails on demand. */
import type { StreamMessage } from '../../../collector/nats/transport.js';
import { createMemoryNats } from '../../helpers/nats/memory-transport.js';
import { describeTransport } from '../../helpers/nats/transport-contract.js';
import { waitFor } from '../../helpers/wait-for.js';

const STREAM = { name: 'S', subjects: ['s.*'], replicas: 1, retention: 'limits' } as const;
const BODY = new Uint8Array([1]);

describeTransport('NATS in memory', createMemoryNats);

it('rejects while it is cut off, and reads on afterwards', async () => {
  const nats = createMemoryNats();
  const [transport, other] = [nats.connect(), nats.connect()];
  await transport.ensureStream(STREAM);
  const read: number[] = [];
  const reading = await transport.read(
    { stream: 'S', fromSequence: 1 },
    async ({ sequence }) => void read.push(sequence),
  );
  transport.disconnect();
  await expect(transport.publish('s.a', BODY)).rejects.toMatchObject({ code: 'NATS_UNREACHABLE', retryable: true });
  await expect(reading.progress()).rejects.toMatchObject({ code: 'NATS_UNREACHABLE' });
  await other.publish('s.a', BODY);
  let isRead = false;
  await other.read({ stream: 'S', fromSequence: 1 }, async () => {
    isRead = true;
  });
  await waitFor('the other reader', () => isRead);
  expect(read).toEqual([]);
  transport.reconnect();
  await waitFor('the message', () => read.length === 1);
});

it('delivers a message again whose answer was lost', async () => {
  const nats = createMemoryNats();
  const transport = nats.connect();
  await transport.ensureStream({ ...STREAM, retention: 'interest' });
  const received: StreamMessage[] = [];
  await transport.consume({ stream: 'S', durable: 'd', subject: 's.a', maxInFlight: 1 }, async (message) => {
    received.push(message);
    if (received.length === 1) nats.disconnect();
    return { kind: 'ack' };
  });
  await transport.publish('s.a', BODY).catch(() => undefined);
  await waitFor('a delivery', () => received.length === 1);
  nats.reconnect();
  await waitFor('another delivery', () => received.length === 2);
  expect(received.map(({ isRedelivered }) => isRedelivered)).toEqual([false, true]);
  await waitFor('the answer', () => nats.stored('S').length === 0);
});

it('forgets the last messages, and uses their sequences again', async () => {
  const nats = createMemoryNats();
  const transport = nats.connect();
  await transport.ensureStream(STREAM);
  const read: string[] = [];
  await transport.read({ stream: 'S', fromSequence: 1 }, async ({ subject, sequence }) => {
    read.push(`${sequence} ${subject}`);
  });
  for (const subject of ['s.a', 's.b', 's.b']) await transport.publish(subject, BODY, { messageId: `${read.length}` });
  await waitFor('all messages', () => read.length === 3);
  nats.loseLast('S', 2);
  expect(await transport.publish('s.c', BODY, { expectedSequence: 0 })).toEqual({ sequence: 2 });
  await waitFor('the new message', () => read.length === 4);
  expect(read).toEqual(['1 s.a', '2 s.b', '3 s.b', '2 s.c']);
});

it('stores a message whose publisher gets no answer', async () => {
  const nats = createMemoryNats();
  const transport = nats.connect();
  await transport.ensureStream(STREAM);
  transport.loseAnswers(1);
  await expect(transport.publish('s.a', BODY)).rejects.toMatchObject({ code: 'NATS_UNREACHABLE' });
  expect(nats.stored('S')).toHaveLength(1);
  expect(await transport.publish('s.a', BODY)).toEqual({ sequence: 2 });
});
