import { v4, v7 } from 'uuid';
import { decodeChunk, encodeChunk, parseChunkPart } from '../../../collector/nats/chunk.js';
import type { EventId } from '../../../core/event/ids.js';

const position = { receivedAtMicros: 1, taken: 1, passed: 1 };

it('bounds the host name of a source and makes it printable', async () => {
  const hosts = ['web-1', '\u001b[31mred\n\u202e', 'x'.repeat(1_000)];
  const shown = await Promise.all(
    hosts.map(async (host) => {
      const events = [{ id: v7() as EventId, position, line: Buffer.from('{}') }];
      const chunk = { source: v4(), host, partition: 1, floor: position, after: position, isExact: true, events };
      const parts = (await encodeChunk(chunk, 1))?.map(parseChunkPart) ?? [];
      const decoded = await decodeChunk(
        chunk.source,
        parts.map(({ content }) => content),
      );
      return decoded.host;
    }),
  );
  expect(shown).toEqual(['web-1', '?[31mred??', 'x'.repeat(253)]);
});
