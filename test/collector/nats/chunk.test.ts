import { v4, v7 } from 'uuid';
import { HeldBody, IngestMemory } from '../../../collector/component/ingest-memory.js';
import { encodeChunk, parseChunkPart } from '../../../collector/nats/chunk.js';
import { decodeChunk } from '../../../collector/nats/decode-chunk.js';
import { SerialQueue } from '../../../collector/receivers/intake/serial-queue.js';
import type { EventId } from '../../../core/event/ids.js';

const position = { receivedAtMicros: 1, taken: 1, passed: 1 };
const after = { ...position, taken: 0 };

it('bounds the host name of a source and makes it printable', async () => {
  const hosts = ['web-1', '\u001b[31mred\n\u202e', 'x'.repeat(1_000)];
  const shown = await Promise.all(
    hosts.map(async (host) => {
      const events = [{ id: v7() as EventId, position, line: Buffer.from('{}') }];
      const chunk = { source: v4(), host, partition: 1, floor: after, after, isExact: true, events };
      const parts = (await encodeChunk(chunk, 1))?.map(parseChunkPart) ?? [];
      const content = new HeldBody(new IngestMemory().begin());
      const decoded = await decodeChunk(parts, content, new SerialQueue());
      return decoded.host;
    }),
  );
  expect(shown).toEqual(['web-1', '?[31mred??', 'x'.repeat(253)]);
});
