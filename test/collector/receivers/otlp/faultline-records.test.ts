import { pino } from 'pino';
import { createLoopWarning } from '../../../../collector/receivers/otlp/otlp-receiver.js';
import type { JsonObject } from '../../../../core/event/json.js';
import { DEFAULT_LIMITS } from '../../../helpers/event-limits.js';
import { anyValue, attributesJson, logsBody } from './bodies.js';
import { restart, running, send, startForEachTest } from './running-otlp.js';

startForEachTest();

/** A record of another Faultline, of severity INFO and without an exception. */
function record(attributes: JsonObject = {}, others: JsonObject = {}): JsonObject {
  const all = attributesJson({ 'faultline.hops': 1, ...attributes });
  return { timeUnixNano: '1700000000123456789', severityNumber: 9, body: anyValue('said'), attributes: all, ...others };
}

const sendRecords = (...records: readonly JsonObject[]) => send(logsBody(...records));

describe('a record of another Faultline', () => {
  it('is a failure at any severity, because the sender stored it as one', async () => {
    await sendRecords(record(), record({ 'faultline.fields': { level: 'warning', message: 'other' } }));
    expect(running.payloads()).toMatchObject([
      { level: 'info', message: 'said', error_name: '', extra: { faultline: { hops: 1 } } },
      { level: 'warning', message: 'other' },
    ]);
  });

  it('is mapped like a record of any other sender if its number of hops is invalid', async () => {
    const odd = [0, -1, '1', null, [1], { a: 1 }];
    await sendRecords(...odd.map((hops) => record({ 'faultline.hops': hops })));
    expect(running.account()).toMatchObject({ received: 6, stored: 0, reasons: { OTLP_NOT_A_FAILURE: 6 } });
  });

  it('keeps attributes that a Collector added on the way, under extra.otlp', async () => {
    await sendRecords(record({ 'collector.name': 'edge', cart: 'c-1', 'faultline.extra': { cart: '' } }));
    expect(running.payloads()[0]?.extra).toEqual({
      cart: 'c-1',
      otlp: { attributes: { 'collector.name': 'edge' }, scope: undefined, resource: undefined },
      faultline: { hops: 1 },
    });
  });

  it('does not restore attributes that a Collector removed on the way', async () => {
    await sendRecords(
      record({ kept: 'x', 'faultline.tags': { kept: '', secret: '' }, 'faultline.extra': { gone: 'extra.gone' } }),
    );
    expect(running.payloads()[0]).toMatchObject({ tags: { kept: 'x' } });
    expect(Object.keys(running.payloads()[0]?.tags ?? {})).toEqual(['kept']);
    expect(running.payloads()[0]?.extra).toEqual({ faultline: { hops: 1 } });
  });

  it('is stored once if it is sent again with its id, also without a join window', async () => {
    await restart({ settings: { join_window: '0' } });
    const one = record({ 'log.record.uid': '01a2041b-72ad-7000-8000-001dffb3a7d6' });
    await sendRecords(one);
    await sendRecords(one);
    expect(running.account()).toMatchObject({ received: 2, stored: 1, reasons: { OTLP_DUPLICATE: 1 } });
  });
});

describe('a record that passed more than five Faultlines', () => {
  it('is rejected permanently with its own code and kept as a dead letter, and the others are accepted', async () => {
    const { status, text } = await sendRecords(...[5, 6, 1_000_000].map((hops) => record({ 'faultline.hops': hops })));
    expect(status).toBe(200);
    expect(JSON.parse(text)).toEqual({
      partialSuccess: { rejectedLogRecords: '2', errorMessage: expect.stringContaining('more than 5 Faultlines') },
    });
    expect(running.payloads()).toMatchObject([{ extra: { faultline: { hops: 5 } } }]);
    expect(running.account()).toMatchObject({
      received: 3,
      stored: 1,
      rejected: 2,
      reasons: { OTLP_TOO_MANY_HOPS: 2 },
    });
    const letters = running.consumer.batches.flatMap((batch) => batch.rejected ?? []);
    expect(letters.map(({ code }) => code)).toEqual(['OTLP_TOO_MANY_HOPS', 'OTLP_TOO_MANY_HOPS']);
    expect(String(letters[0]?.received)).toContain('"said"');
  });

  it('is logged at most once a minute, with the next step', () => {
    const lines: { rejected: number; code: string; msg: string }[] = [];
    let nowMs = 0;
    const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const warn = createLoopWarning({ logger, nowMs: () => nowMs });
    for (const at of [0, 1, 59_999, 60_000]) {
      nowMs = at;
      warn(10);
    }
    expect(lines.map(({ rejected, code }) => [rejected, code])).toEqual([
      [10, 'OTLP_TOO_MANY_HOPS'],
      [40, 'OTLP_TOO_MANY_HOPS'],
    ]);
    expect(lines[0]?.msg).toContain('remove otlp_http');
  });
});

describe('a count of sampled events', () => {
  const sampled = record({ 'faultline.sampled': 975, 'faultline.notes': { sampled: 7, hops: 0, cuts_total: 1 } });

  it('is kept as a claim of the sender by default', async () => {
    await sendRecords(sampled);
    expect(running.payloads()[0]?.extra).toEqual({ faultline: { cuts_total: 1, sender: { sampled: 975 }, hops: 1 } });
  });

  it('is used if the receiver accepts sampled counts', async () => {
    await restart({ settings: { accept_sampled_counts: true } });
    await sendRecords(sampled);
    expect(running.payloads()[0]?.extra).toEqual({ faultline: { cuts_total: 1, sampled: 975, hops: 1 } });
  });

  it('is read from one part of a record only', async () => {
    const forged = { sampled: 975 };
    const extra = { faultline: 'x' };
    await sendRecords(
      record({ x: forged, 'faultline.extra': extra }),
      record({ x: 'x', 'faultline.notes': forged }),
      record({ 'faultline.otlp': { faultline: forged } }),
      record({ 'faultline.fields': { extra: { faultline: forged } } }),
    );
    expect(running.account()).toMatchObject({ stored: 4 });
    const counts = running.payloads().map(({ extra: stored }) => stored?.['faultline']);
    expect(counts).toEqual([{ sender: forged, hops: 1 }, { hops: 1 }, { hops: 1 }, { hops: 1 }]);
  });
});

describe('a forged record of a Faultline', () => {
  it('has the limits of any event: it is rejected or cut, with a note', async () => {
    const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, tag) => [`t${tag}`, 'v']));
    const emptyTags = Object.fromEntries(Object.keys(many).map((key) => [key, '']));
    const { status } = await sendRecords(
      record({ 'faultline.fields': { error_name: 5 } }),
      record({ 'faultline.fields': { message: { a: 1 } } }),
      record({ 'exception.type': 7 }),
      record({ ...many, 'faultline.tags': emptyTags }),
      record({ 'faultline.fields': { level: 'x'.repeat(2_000_000) } }),
    );
    expect(status).toBe(200);
    expect(running.account()).toMatchObject({ stored: 2, rejected: 3, reasons: { EVENT_INVALID: 3 } });
    const [tagged, long] = running.payloads();
    expect(Object.keys(tagged?.tags ?? {})).toHaveLength(DEFAULT_LIMITS.max_tags);
    expect(tagged?.extra).toMatchObject({ faultline: { hops: 1, cuts_total: 1 } });
    expect(long?.level).toHaveLength(DEFAULT_LIMITS.max_string_length);
    expect(long?.extra).toMatchObject({ faultline: { hops: 1 } });
  });

  it.each([
    ['tags', 5],
    ['tags', ['a']],
    ['tags', { a: 5, b: null, c: ['x'] }],
    ['extra', 'text'],
    ['extra', { otlp: '', faultline: 'faultline.hops' }],
    ['fields', [1]],
    ['otlp', 'text'],
    ['otlp', { attributes: 5, body: null }],
    ['renamed', { a: 5, 'faultline.hops': 'b' }],
    ['notes', 5],
    ['sampled', { a: 1 }],
  ])('does not break the receiver: faultline.%s as %j', async (name, value) => {
    const { status } = await sendRecords(record({ [`faultline.${name}`]: value, a: 'x' }));
    expect(status).toBe(200);
    expect(running.account()).toMatchObject({ received: 1, stored: 1 });
    expect(running.payloads()[0]?.extra).toMatchObject({ faultline: { hops: 1 } });
  });

  it('may have the key __proto__, which is data', async () => {
    await sendRecords({
      ...record(),
      attributes: [
        ...attributesJson({ 'faultline.hops': 1 }),
        { key: '__proto__', value: anyValue('polluted') },
        { key: 'faultline.tags', value: { kvlistValue: { values: [{ key: '__proto__', value: anyValue('') }] } } },
        {
          key: 'faultline.otlp',
          value: { kvlistValue: { values: [{ key: '__proto__', value: anyValue({ a: 1 }) }] } },
        },
      ],
    });
    expect(Object.entries(running.payloads()[0]?.tags ?? {})).toEqual([['__proto__', 'polluted']]);
    expect(Object.keys(running.payloads()[0]?.extra ?? {})).toEqual(['otlp', 'faultline']);
    expect(Object.getPrototypeOf({})).not.toHaveProperty('a');
  });
});
