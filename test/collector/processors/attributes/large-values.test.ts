import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { pino } from 'pino';
import { createAttributesProcessor } from '../../../../collector/processors/attributes/attributes-processor.js';
import { createEventProcessor } from '../../../../collector/processors/event-processor/event-processor.js';
import { Meters } from '../../../../collector/telemetry/meters.js';
import type { JsonValue } from '../../../../core/event/json.js';
import type { RawPayload } from '../../../../core/event/raw-payload.js';
import type { AttributeActionSettings } from '../../../../generated/settings.js';
import { serverPayload } from '../../../helpers/payloads.js';
import { createMemoryConsumer } from '../../memory-consumer.js';
import { turnsWhile } from '../turns-while.js';

const PIECE = 64 * 1024;

async function changed(changes: Partial<RawPayload>, ...actions: AttributeActionSettings[]): Promise<RawPayload> {
  const consumer = createMemoryConsumer();
  const settings = { actions, error_mode: 'propagate' as const };
  const logger = pino({ level: 'silent' });
  const place = { consumer, meters: new Meters(), logger };
  const processor = createEventProcessor('attributes', place, createAttributesProcessor(settings));
  await processor.consume({ receiver: 'events', events: [{ payload: serverPayload(changes) }] });
  const [result] = consumer.events;
  if (result === undefined) throw new Error('the event was dropped');
  return result.payload;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

describe('attributes with large values', () => {
  it('hash a text as in one step, also with surrogates at the end of a chunk', async () => {
    for (const sign of ['x', '😀', '\ud83d', '\ude00', 'ü']) {
      for (const before of [0, 1, 2]) {
        const message = '.'.repeat(PIECE - before) + sign.repeat(3 * PIECE);
        expect((await changed({ message }, { key: 'message', action: 'hash' })).message).toBe(sha256(message));
      }
    }
  });

  const leaf: fc.Arbitrary<JsonValue> = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 10 }),
    fc.constantFrom('"\\\n\0\ud83d', 'é😀'.repeat(PIECE), `${'.'.repeat(PIECE - 1)}😀`, '\ude00'.repeat(PIECE)),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(null, true, -0, 1e21),
  );
  const value = fc.letrec<{ value: JsonValue; list: JsonValue[]; object: Record<string, JsonValue> }>((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, leaf, tie('list'), tie('object')),
    list: fc.array(tie('value'), { maxLength: 6 }),
    object: fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('__proto__', '7', '')), tie('value'), { maxKeys: 6 }),
  }));

  it('write the JSON of an object as in one step', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(value.list, value.object), fc.nat({ max: 5_000 }), async (inner, members) => {
        const written: JsonValue = [
          inner,
          Array.from({ length: members }, (_, at) => (at % 3 === 0 ? at : `v${at}`)),
          inner,
        ];
        const payload = await changed(
          { extra: { written } },
          { key: 'tags.copy', action: 'upsert', from_attribute: 'extra.written' },
          { key: 'extra.written', action: 'hash' },
        );
        const expected = JSON.stringify(written);
        expect(payload.tags['copy'] === expected).toBe(true);
        expect(payload.extra).toEqual({ written: sha256(expected) });
      }),
    );
  });

  it('keep the order of very many keys, and do not change the received event', async () => {
    const extra = JSON.parse(`{"__proto__":1,${Array.from({ length: 5_000 }, (_, at) => `"k${at}":${at}`).join(',')}}`);
    const before = JSON.stringify(extra);
    const payload = await changed(
      { extra },
      { key: 'extra.last', action: 'insert', value: 'x' },
      { key: 'extra.k1', action: 'update', value: 'y' },
      { key: 'extra.k2', action: 'delete' },
    );
    const expected = before.replace('"k1":1,', '"k1":"y",').replace('"k2":2,', '').replace(/}$/, ',"last":"x"}');
    expect(JSON.stringify(payload.extra)).toBe(expected);
    expect(JSON.stringify(extra)).toBe(before);
  });

  it('extract from the start of the JSON of a large object', async () => {
    const extra = { list: ['order 47', ...Array.from({ length: 20_000 }, (_, at) => at)] };
    const { tags } = await changed(
      { extra },
      { key: 'extra.list', action: 'extract', pattern: 'order (?P<order>\\d+)' },
      { key: 'extra.list', action: 'extract', pattern: '(?P<late>19999)' },
    );
    expect(tags).toEqual({ region: 'eu-west', attempt: '2', order: '47' });
  });

  it('let other work run while one text is hashed', async () => {
    const message = 'x'.repeat(64 * 1024 * 1024);
    const { result, turns } = await turnsWhile(() => changed({ message }, { key: 'message', action: 'hash' }));
    expect(result.message).toBe(sha256(message));
    expect(turns).toBeGreaterThan(1);
  });
});
