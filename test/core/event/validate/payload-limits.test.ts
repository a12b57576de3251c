import type { JsonValue } from '../../../../core/event/json.js';
import type { RawPayload } from '../../../../core/event/raw-payload.js';
import { PayloadParser } from '../../../../core/event/validate/payload-reader.js';
import { acceptValue, samplePayload, WIDE_LIMITS } from '../sample-payload.js';

function faultlinePart(payload: RawPayload): unknown {
  return payload.extra?.['faultline'];
}

function nested(levels: number): JsonValue {
  return JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
}

describe('limits', () => {
  it('cut a long string, add a note, and record the cut', () => {
    const reading = acceptValue(samplePayload({ message: 'x'.repeat(1_500) }));
    expect(reading.payload.message).toBe('x'.repeat(1_000));
    expect(reading.notes).toEqual([
      { code: 'STRING_CUT', field: '/message', reason: 'was cut from 1500 to 1000 UTF-16 units' },
    ]);
    expect(reading.payload.extra).toEqual({
      cart: { total: 12.5 },
      faultline: {
        cuts: [{ field: '/message', limit: 'max_string_length', was: 1_500, kept: 1_000 }],
        cuts_total: 1,
      },
    });
    expect(reading).toMatchObject({ added: undefined, cuts: { max_string_length: 1 } });
  });

  it('do not change a string of exactly the limit', () => {
    expect(acceptValue(samplePayload({ message: 'x'.repeat(1_000) }))).toMatchObject({ added: [] });
  });

  it('never split a surrogate pair', () => {
    const { payload } = acceptValue(samplePayload({ message: `${'x'.repeat(9)}😀tail` }), {
      limits: { maxStringLength: 10 },
    });
    expect(payload.message).toBe('x'.repeat(9));
    expect(
      acceptValue(samplePayload({ message: `${'x'.repeat(9)}\ud83dtail` }), { limits: { maxStringLength: 10 } }).payload
        .message,
    ).toBe(`${'x'.repeat(9)}\ud83d`);
  });

  it('include a limit for the stack', () => {
    const reading = acceptValue(samplePayload({ stack: 's'.repeat(2_500) }));
    expect(reading.payload.stack).toHaveLength(2_000);
    expect(reading.notes).toEqual([expect.objectContaining({ code: 'STACK_CUT', field: '/stack' })]);
    expect(acceptValue(samplePayload({ stack: 's'.repeat(2_000) })).added).toEqual([]);
  });

  it.each([
    'app',
    'env',
    'error_name',
    'level',
    'method',
    'release',
    'request_id',
    'route',
    'service',
    'session_id',
    'timestamp',
    'user_id',
  ] as const)('apply the string limit to %s', (key) => {
    const reading = acceptValue(samplePayload({ [key]: 'y'.repeat(1_001) }));
    expect(reading.payload[key]).toHaveLength(1_000);
    expect(reading.notes).toEqual([expect.objectContaining({ code: 'STRING_CUT', field: `/${key}` })]);
  });

  it('cut strings and keys at any depth of extra', () => {
    const long = 'k'.repeat(1_200);
    const reading = acceptValue(samplePayload({ extra: { a: [{ 'b/c~': long }], [long]: 1 } }));
    expect(reading.payload.extra).toMatchObject({ a: [{ 'b/c~': 'k'.repeat(1_000) }], ['k'.repeat(1_000)]: 1 });
    expect(reading.notes.map(({ code }) => code)).toEqual(['STRING_CUT', 'STRING_CUT']);
    expect(reading.notes[0]?.field).toBe('/extra/a/0/b~1c~0');
    expect(reading.notes[1]?.field).toBe(`/extra/${'k'.repeat(249)}`);
  });

  it('keep an existing entry when a cut key collides with it', () => {
    const limits = { maxStringLength: 12 };
    const reading = acceptValue(
      samplePayload({
        extra: { abcdefghijklmno: 1, abcdefghijkl: 2 },
        tags: { abcdefghijklXX: 'a', abcdefghijklYY: 'b' },
      }),
      {
        limits,
      },
    );
    expect(reading.payload.extra).toMatchObject({ abcdefghijkl: 2 });
    expect(reading.payload.tags).toEqual({ abcdefghijkl: 'a' });
    expect(reading.notes.filter(({ reason }) => reason.includes(' to 0 '))).toHaveLength(2);
  });

  it('replace values that are nested too deep with a marker', () => {
    const reading = acceptValue(samplePayload({ extra: { deep: nested(12), flat: nested(7) } }));
    const marker = '[nested deeper than 8 levels]';
    expect(JSON.stringify(reading.payload.extra)).toContain(`[[[[[[["${marker}"]]]]]]]`);
    expect(reading.payload.extra).toMatchObject({ flat: nested(7) });
    expect(faultlinePart(reading.payload)).toMatchObject({ cuts: [{ limit: 'max_depth', was: 13, kept: 8 }] });
    expect(reading.notes).toEqual([expect.objectContaining({ code: 'DEPTH_CUT', field: '/extra/deep/0/0/0/0/0/0/0' })]);
  });

  it('handle a hundred thousand nested arrays', () => {
    const reading = acceptValue({ ...samplePayload(), extra: { deep: nested(100_000) }, user_id: nested(100_000) });
    expect(reading.cuts).toEqual({ max_depth: 2 });
    expect(faultlinePart(reading.payload)).toMatchObject({ cuts_total: 2 });
  });

  it('keep the first tags in the order they were sent', () => {
    const tags = Object.fromEntries(Array.from({ length: 14 }, (_, index) => [`t${14 - index}`, 'v']));
    const reading = acceptValue(samplePayload({ tags }));
    expect(Object.keys(reading.payload.tags)).toEqual(Object.keys(tags).slice(0, 10));
    expect(reading.notes).toEqual([{ code: 'TAGS_CUT', field: '/tags', reason: 'was cut from 14 to 10 tags' }]);
  });

  it('cut tag keys and values', () => {
    const long = 'v'.repeat(1_001);
    const { payload, cuts } = acceptValue(samplePayload({ tags: { a: long, [long]: 'b' } }));
    expect(payload.tags).toEqual({ a: 'v'.repeat(1_000), ['v'.repeat(1_000)]: 'b' });
    expect(cuts).toEqual({ max_string_length: 2 });
  });

  it('record numbers that a double cannot hold instead of storing null', () => {
    const value: unknown = JSON.parse(
      '{"app":"a","env":"e","error_name":"E","message":"m","route":"/","service":"s","extra":{"n":1e999},"status_code":-1e999}',
    );
    const reading = acceptValue(value);
    expect(reading.payload.extra).toMatchObject({
      n: 'Infinity',
      faultline: { original: { status_code: '-Infinity' } },
    });
    expect(reading.cuts).toEqual({ number_range: 2 });
  });

  it('list 32 cuts and 64 notes, and count the rest', () => {
    const extra = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, 'x'.repeat(1_001)]));
    const reading = acceptValue(samplePayload({ extra }));
    const part = faultlinePart(reading.payload);
    expect(part).toMatchObject({ cuts_total: 100 });
    expect((part as { cuts: unknown[] }).cuts).toHaveLength(32);
    expect(reading.notes).toHaveLength(65);
    expect(reading.notes.at(-1)).toMatchObject({ code: 'NOTES_LEFT_OUT', field: '' });
    expect(reading.cuts).toEqual({ max_string_length: 100 });
  });

  it('move extra.faultline of the sender before writing there', () => {
    const reading = acceptValue(samplePayload({ message: 'x'.repeat(1_001), extra: { faultline: { cuts: 'mine' } } }));
    expect(faultlinePart(reading.payload)).toMatchObject({ cuts_total: 1, sender: { cuts: 'mine' } });
  });

  it('do not change the objects of the caller', () => {
    const value = samplePayload({
      message: 'x'.repeat(1_001),
      extra: { s: 'y'.repeat(1_001) },
      tags: { t: 'z'.repeat(1_001) },
    });
    const before = JSON.stringify(value);
    acceptValue(value);
    expect(JSON.stringify(value)).toBe(before);
  });

  it.each([
    { maxStringLength: 0 },
    { maxStackLength: -1 },
    { maxTags: 1.5 },
    { maxDepth: Number.NaN },
    { maxDepth: 1_001 },
  ])('throw at start when they are %p', (wrong) => {
    expect(() => new PayloadParser({ defaults: {}, limits: { ...WIDE_LIMITS, ...wrong } })).toThrow(
      expect.objectContaining({ code: 'PAYLOAD_LIMIT_INVALID' }),
    );
  });

  it('work at the deepest nesting that can be configured', () => {
    const { payload, cuts } = acceptValue(samplePayload({ extra: { deep: nested(2_000) } }), {
      limits: { maxDepth: 1_000 },
    });
    expect(cuts).toEqual({ max_depth: 1 });
    expect(JSON.stringify(payload)).toContain('nested deeper than 1000 levels');
  });
});
