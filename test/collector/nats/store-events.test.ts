import pino from 'pino';
import type { ChunkEvent } from '../../../collector/nats/chunk.js';
import { type ChunkTarget, storeEvents } from '../../../collector/receivers/nats/store-events.js';
import { toEventId } from '../../../core/event/ids.js';
import { encodeRawLine } from '../../../core/event/raw-line.js';
import { serverPayload } from '../../helpers/payloads.js';
import { turnsWhile } from '../processors/turns-while.js';

const EVENTS = 200;
const ID = toEventId('01a20726-4353-7000-8000-000036a3e695');

it('lets the event loop turn while it decodes a chunk of large events, and stores them together', async () => {
  if (ID === undefined) throw new Error('not an id');
  const stored: number[] = [];
  const origins = { takeUnlogged: () => undefined, begin: () => () => undefined, append: async () => undefined };
  const target = {
    id: 'nats',
    account: { stored: () => undefined, count: () => undefined },
    logger: pino({ level: 'silent' }),
    origins,
    consumer: {
      async consume({ events }: { events: readonly unknown[] }) {
        stored.push(events.length);
        return events.map(() => ({ kind: 'stored', stored: { event_id: ID } }));
      },
    },
  } as unknown as ChunkTarget;
  const extra = { list: Array.from({ length: 2_000 }, (_, number) => ({ number })) };
  const line = encodeRawLine(serverPayload({ extra }));
  const event = { id: ID, position: { receivedAtMicros: 1, folder: 'raw/a/b/c/2026/11/21/10', line: 0 }, line };
  const chunked = Array.from({ length: EVENTS }, () => event) as unknown as ChunkEvent[];
  const { turns } = await turnsWhile(() =>
    storeEvents(chunked, { source: 's', partition: 0 }, target, () => undefined),
  );
  expect(stored).toEqual([EVENTS]);
  expect(turns).toBeGreaterThan(2);
});
