import { pino } from 'pino';
import { createAttributesProcessor } from '../../../../collector/processors/attributes/attributes-processor.js';
import { createEventProcessor } from '../../../../collector/processors/event-processor/event-processor.js';
import { checkSettings } from '../../../../collector/service/check-settings.js';
import { Meters } from '../../../../collector/telemetry/meters.js';
import type { ReceivedEvent } from '../../../../core/contract/stages.js';
import type { RawPayload } from '../../../../core/event/raw-payload.js';
import type { AttributeActionSettings } from '../../../../generated/settings.js';
import { serverPayload } from '../../../helpers/payloads.js';
import { createMemoryConsumer } from '../../memory-consumer.js';
import { settingsFor } from '../../running-service.js';

async function afterActions(event: ReceivedEvent, ...actions: AttributeActionSettings[]): Promise<ReceivedEvent> {
  const consumer = createMemoryConsumer();
  const settings = { actions, error_mode: 'propagate' as const };
  const logger = pino({ level: 'silent' });
  const place = { consumer, meters: new Meters(), logger };
  const processor = createEventProcessor('attributes', place, createAttributesProcessor(settings));
  await processor.consume({ receiver: 'events', events: [event] });
  const [result] = consumer.events;
  if (result === undefined) throw new Error('the event was dropped');
  return result;
}

async function changed(changes: Partial<RawPayload>, ...actions: AttributeActionSettings[]): Promise<RawPayload> {
  return (await afterActions({ payload: serverPayload(changes) }, ...actions)).payload;
}

describe('attributes', () => {
  it('insert missing values, update existing ones, and upsert either', async () => {
    const { tags } = await changed(
      { tags: { a: '1', b: '2' } },
      { key: 'tags.a', action: 'insert', value: 'x' },
      { key: 'tags.c', action: 'insert', value: 'x' },
      { key: 'tags.b', action: 'update', value: 'y' },
      { key: 'tags.d', action: 'update', value: 'y' },
      { key: 'tags.e.f', action: 'upsert', value: 'z' },
    );
    expect(tags).toEqual({ a: '1', b: 'y', c: 'x', 'e.f': 'z' });
  });

  it('create paths in extra, and keep values that are not objects', async () => {
    const extra = { request: { host: 'a' }, text: 'plain' };
    const payload = await changed(
      { extra },
      { key: 'extra.request.port', action: 'upsert', value: '80' },
      { key: 'extra.k8s\\.pod.name', action: 'upsert', value: 'web-1' },
      { key: 'extra.text.inner', action: 'upsert', value: 'lost' },
    );
    expect(payload.extra).toEqual({ request: { host: 'a', port: '80' }, text: 'plain', 'k8s.pod': { name: 'web-1' } });
    expect(extra).toEqual({ request: { host: 'a' }, text: 'plain' });
    expect((await changed({ extra: null }, { key: 'extra.a', action: 'insert', value: 'b' })).extra).toEqual({
      a: 'b',
    });
  });

  it('copy values, as text to text fields and unchanged to extra', async () => {
    const payload = await changed(
      { extra: { count: 3, list: [1] }, session_id: null },
      { key: 'tags.count', action: 'upsert', from_attribute: 'extra.count' },
      { key: 'session_id', action: 'insert', from_attribute: 'extra.list' },
      { key: 'extra.copy', action: 'insert', from_attribute: 'extra.list' },
      { key: 'tags.none', action: 'insert', from_attribute: 'extra.none' },
    );
    expect(payload.tags['count']).toBe('3');
    expect(payload.session_id).toBe('[1]');
    expect(payload.extra).toEqual({ count: 3, list: [1], copy: [1] });
    expect(payload.tags).not.toHaveProperty('none');
  });

  it('delete a value: to an empty text, to null, or completely', async () => {
    const keys = ['message', 'stack', 'tags.region', 'extra.cart.lines', 'tags.none'];
    const payload = await changed({}, ...keys.map((key) => ({ key, action: 'delete' as const })));
    expect(payload).toMatchObject({ message: '', stack: null, extra: { cart: {} } });
    expect(payload.tags).toEqual({ attempt: '2' });
  });

  it('hash by SHA-256, and skip missing values', async () => {
    const payload = await changed(
      { user_id: 'abc', session_id: null },
      { key: 'user_id', action: 'hash' },
      { key: 'session_id', action: 'hash' },
    );
    expect(payload.user_id).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(payload.session_id).toBeNull();
  });

  it('extract named groups to tags', async () => {
    const pattern = '/api/v(?P<version>\\d+)/(?P<area>\\w+)(?P<rest>/x)?';
    const { tags } = await changed({}, { key: 'route', action: 'extract', pattern });
    expect(tags).toEqual({ region: 'eu-west', attempt: '2', version: '1', area: 'cart' });
  });

  it('extract from the first 32,768 units only, without a group that is cut off there', async () => {
    const extract = { key: 'message', action: 'extract', pattern: 'order (?P<order>\\w+)' } as const;
    const before = '.'.repeat(32_768 - 9);
    expect((await changed({ message: `${before}order 47 ` }, extract)).tags).toMatchObject({ order: '47' });
    expect((await changed({ message: `${before}order 4711` }, extract)).tags).not.toHaveProperty('order');
    expect((await changed({ message: `${before}........order 4711` }, extract)).tags).not.toHaveProperty('order');
  });

  it('treat __proto__ and constructor as plain keys', async () => {
    const payload = await changed(
      { extra: {} },
      { key: 'tags.__proto__', action: 'upsert', value: 'a' },
      { key: 'extra.__proto__.polluted', action: 'upsert', value: 'b' },
      { key: 'extra.constructor', action: 'update', value: 'c' },
      { key: 'tags.toString', action: 'hash' },
    );
    expect(JSON.stringify(payload.tags)).toBe('{"region":"eu-west","attempt":"2","__proto__":"a"}');
    expect(JSON.stringify(payload.extra)).toBe('{"__proto__":{"polluted":"b"}}');
    expect({}).not.toHaveProperty('polluted');
  });

  it('forward the same event with its bytes if nothing changes, and a new one without them otherwise', async () => {
    const event = { payload: serverPayload(), encoded: Buffer.from('{}') };
    expect(await afterActions(event, { key: 'tags.region', action: 'insert', value: 'x' })).toBe(event);
    const other = await afterActions(event, { key: 'tags.region', action: 'update', value: 'x' });
    expect(other).toEqual({ payload: { ...event.payload, tags: { region: 'x', attempt: '2' } } });
    expect(event.payload.tags['region']).toBe('eu-west');
  });

  it.each([
    [{ key: 'tags.a', action: 'insert', value: 'b', from_attribute: 'tags.c' }, 'from_attribute', 'set one of them'],
    [{ key: 'tags.a', action: 'upsert' }, 'action', 'needs value or from_attribute'],
    [{ key: 'tags.a', action: 'extract' }, 'action', 'needs a pattern'],
    [{ key: 'tags.a', action: 'extract', pattern: '(?=a)' }, 'pattern', 'RE2'],
    [{ key: 'tags.a', action: 'extract', pattern: 'a+' }, 'pattern', 'named group'],
    [{ key: 'tags.a', action: 'delete', value: 'b' }, 'value', 'does nothing for delete'],
    [{ key: 'tags.a', action: 'hash', pattern: 'b' }, 'pattern', 'does nothing for hash'],
    [{ key: 'status_code', action: 'delete' }, 'key', 'is none of'],
    [{ key: 'extra', action: 'delete' }, 'key', 'is none of'],
    [{ key: 'extra.a..b', action: 'delete' }, 'key', 'empty name'],
    [{ key: 'tags.', action: 'delete' }, 'key', 'names no tag'],
    [{ key: 'tags.a', action: 'insert', from_attribute: 'mesage' }, 'from_attribute', 'is none of'],
  ])('are refused by the configuration check: %j', (action, name, message) => {
    const faults = checkSettings(settingsFor('/nowhere', `processors.attributes.actions=${JSON.stringify([action])}`));
    expect(faults.map(({ path }) => path)).toEqual([['processors', 'attributes', 'actions', 0, name]]);
    expect(faults[0]?.message).toContain(message);
  });
});
