import type { JsonObject } from '../../../../core/event/json.js';
import { RAW_PAYLOAD_KEYS, weightOf } from '../../../../core/event/raw-payload.js';
import { acceptValue, readerWith, rejectionOfValue, samplePayload } from '../sample-payload.js';

const MINIMAL = { app: 'shop', env: 'test', error_name: 'E', message: 'm', route: '/', service: 'api' };

function parsed(text: string): unknown {
  return JSON.parse(text);
}

describe('a complete payload', () => {
  it('is returned unchanged', () => {
    const value = samplePayload();
    const reading = acceptValue(value);
    expect(reading.payload).toBe(value);
    expect(reading).toMatchObject({ added: [], notes: [], cuts: {} });
  });

  it('is unchanged with every nullable field null', () => {
    const reading = acceptValue(
      samplePayload({
        extra: null,
        level: null,
        method: null,
        release: null,
        request_id: null,
        session_id: null,
        stack: null,
        status_code: null,
        tags: {},
        timestamp: null,
        user_id: null,
      }),
    );
    expect(reading).toMatchObject({ added: [], notes: [] });
  });

  it('is unchanged also if its keys are in another order', () => {
    const { app, ...rest } = samplePayload();
    const reading = acceptValue({ ...rest, app });
    expect(reading).toMatchObject({ added: [], notes: [], payload: samplePayload() });
  });

  it.each(RAW_PAYLOAD_KEYS)('is changed if %s is absent', (key) => {
    const { [key]: _, ...rest } = samplePayload();
    expect(readerWith({ defaults: { app: 'a', service: 's', env: 'e' } }).parse(rest)).not.toMatchObject({
      added: [],
    });
  });
});

describe('the table of raw payloads', () => {
  const required = ['app', 'env', 'error_name', 'message', 'route', 'service'] as const;
  const nullable = ['level', 'method', 'release', 'request_id', 'session_id', 'stack', 'timestamp', 'user_id'] as const;

  for (const key of required) {
    it(`${key} is a string, empty ones included`, () => {
      expect(acceptValue({ ...samplePayload(), [key]: '' }).payload[key]).toBe('');
    });

    it.each([
      ['absent', undefined],
      ['null', null],
      ['a number', 5],
      ['a boolean', true],
      ['an object', {}],
      ['an array', ['x']],
    ])(`${key} rejects the event when it is %s`, (_, value) => {
      expect(rejectionOfValue({ ...samplePayload(), [key]: value })).toEqual({
        field: `/${key}`,
        code: 'EVENT_INVALID',
        reason: 'must be string',
      });
    });
  }

  for (const key of nullable) {
    it(`${key} is a string or null, and null when absent`, () => {
      expect(acceptValue({ ...samplePayload(), [key]: 'text' }).payload[key]).toBe('text');
      expect(acceptValue({ ...samplePayload(), [key]: null }).payload[key]).toBeNull();
      const { [key]: _, ...rest } = samplePayload();
      expect(acceptValue(rest)).toMatchObject({ payload: { [key]: null }, notes: [] });
    });

    it.each(
      key === 'level'
        ? [[true, 'true']]
        : [
            [42, '42'],
            [-1.5, '-1.5'],
            [true, 'true'],
          ],
    )(`${key} takes %p as text and notes it`, (value, text) => {
      const reading = acceptValue({ ...samplePayload(), [key]: value });
      expect(reading.payload[key]).toBe(text);
      expect(reading.notes).toEqual([expect.objectContaining({ code: 'VALUE_CONVERTED', field: `/${key}` })]);
    });

    it.each([[{ a: 1 }], [['x']]])(`${key} cannot hold %p, which is kept in extra`, (value) => {
      const reading = acceptValue({ ...samplePayload(), [key]: value });
      expect(reading.payload[key]).toBeNull();
      expect(reading.payload.extra).toEqual({ cart: { total: 12.5 }, faultline: { original: { [key]: value } } });
      expect(reading.notes).toEqual([expect.objectContaining({ code: 'VALUE_MOVED', field: `/${key}` })]);
    });
  }

  it.each<[number | string, JsonObject, string]>([
    [40, { lineno: 7, funcName: 'pay' }, 'error'],
    ['50', { extra: { pathname: '/srv/pay.py' } }, 'critical'],
    [30, { stack: 'Traceback (most recent call last):\n  File "pay.py", line 1, in pay\nKeyError: 7' }, 'warning'],
    [50, { extra: { pid: 7, hostname: 'web-1' } }, 'error'],
    [400, { extra: { channel: 'app' } }, 'error'],
    [3, { extra: { facility: 'local0' } }, 'error'],
    [200, { level_name: 'WARNING' }, 'warning'],
  ])('level %p has the name of its scale, which %j tells', (level, members, name) => {
    const reading = acceptValue({ ...samplePayload(), ...members, level });
    expect(reading.payload.level).toBe(name);
    expect(reading.notes).toContainEqual(expect.objectContaining({ code: 'VALUE_CONVERTED', field: '/level' }));
  });

  it.each([40, '40', 72, 3, 63.5, -1])('level %p without a scale is no level, and is kept in extra', (level) => {
    const reading = acceptValue({ ...samplePayload(), level });
    expect(reading.payload.level).toBeNull();
    expect(reading.payload.extra).toMatchObject({ faultline: { original: { level } } });
    expect(reading.notes).toEqual([expect.objectContaining({ code: 'VALUE_MOVED', field: '/level' })]);
  });

  it.each([422, 0, -1, 9_007_199_254_740_991])('status_code accepts the integer %p', (value) => {
    expect(acceptValue(samplePayload({ status_code: value }))).toMatchObject({
      payload: { status_code: value },
      added: [],
    });
  });

  it('status_code accepts 500.0 as the integer 500', () => {
    const text = JSON.stringify(samplePayload()).replace('"status_code":422', '"status_code":500.0');
    expect(acceptValue(parsed(text)).payload.status_code).toBe(500);
  });

  it('status_code accepts a string that holds an integer', () => {
    const reading = acceptValue({ ...samplePayload(), status_code: '500' });
    expect(reading.payload.status_code).toBe(500);
    expect(reading.notes).toEqual([expect.objectContaining({ code: 'VALUE_CONVERTED', field: '/status_code' })]);
  });

  it.each([[500.5], [1e300], ['5xx'], [''], ['500.5'], [' 500'], [true], [{ a: 1 }], [[500]]])(
    'status_code cannot hold %p, which is kept in extra',
    (value) => {
      const reading = acceptValue({ ...samplePayload(), status_code: value });
      expect(reading.payload.status_code).toBeNull();
      expect(reading.payload.extra).toMatchObject({ faultline: { original: { status_code: value } } });
      expect(reading.notes).toEqual([expect.objectContaining({ code: 'VALUE_MOVED', field: '/status_code' })]);
    },
  );

  it('extra is an object or null, and null when absent', () => {
    expect(acceptValue(MINIMAL).payload.extra).toBeNull();
    expect(acceptValue({ ...MINIMAL, extra: {} }).payload.extra).toEqual({});
  });

  it.each([['text'], [5], [['x']]])('extra rejects the event if it is %p', (value) => {
    expect(rejectionOfValue({ ...samplePayload(), extra: value })).toEqual({
      field: '/extra',
      code: 'EVENT_INVALID',
      reason: 'must be object,null',
    });
  });

  it.each([[undefined], [null]])('tags are empty if they are %p', (value) => {
    expect(acceptValue({ ...samplePayload(), tags: value })).toMatchObject({ payload: { tags: {} }, notes: [] });
  });

  it.each([['text'], [5], [[['a', 'b']]]])('tags reject the event if they are %p', (value) => {
    expect(rejectionOfValue({ ...samplePayload(), tags: value })).toEqual({
      field: '/tags',
      code: 'EVENT_INVALID',
      reason: 'must be object',
    });
  });

  it('tags hold strings: numbers and booleans become text, null is dropped, the rest is kept in extra', () => {
    const reading = acceptValue({
      ...samplePayload(),
      tags: { s: 'x', n: 3000, b: false, none: null, o: { deep: [1] } },
    });
    expect(reading.payload.tags).toEqual({ s: 'x', n: '3000', b: 'false' });
    expect(reading.payload.extra).toMatchObject({ faultline: { original: { tags: { o: { deep: [1] } } } } });
    expect(reading.notes.map(({ code, field }) => [code, field])).toEqual([
      ['VALUE_CONVERTED', '/tags/n'],
      ['VALUE_CONVERTED', '/tags/b'],
      ['TAG_LEFT_OUT', '/tags/none'],
      ['VALUE_MOVED', '/tags/o'],
    ]);
  });
});

describe('defaults', () => {
  const defaults = { app: 'da', service: 'ds', env: 'de' };
  const nameless = { error_name: 'E', message: 'm', route: '/' };

  it('fill names that are absent or null, and only those', () => {
    expect(acceptValue(nameless, { defaults }).payload).toMatchObject({ app: 'da', service: 'ds', env: 'de' });
    expect(acceptValue({ ...nameless, app: null, service: 's', env: '' }, { defaults }).payload).toMatchObject({
      app: 'da',
      service: 's',
      env: '',
    });
  });

  it('do not hide a name of a wrong type', () => {
    expect(rejectionOfValue({ ...nameless, app: 5 }, { defaults })).toMatchObject({ field: '/app' });
  });

  it('may be partial: a required name without a value or a default rejects the event', () => {
    expect(rejectionOfValue(nameless, { defaults: { app: 'a', env: 'e' } })).toMatchObject({
      field: '/service',
      reason: 'must be string',
    });
  });
});

describe('values that are not events', () => {
  it.each([[null], [undefined], [5], ['text'], [true], [[]], [[samplePayload()]]])(
    '%p is rejected as a whole',
    (value) => {
      expect(rejectionOfValue(value)).toEqual({ field: '', code: 'EVENT_INVALID', reason: 'must be object' });
    },
  );

  it('reports the message first if several fields are wrong', () => {
    expect(rejectionOfValue({})).toMatchObject({ field: '/message', reason: 'must be string' });
    expect(rejectionOfValue({ message: 5, extra: [] })).toMatchObject({ field: '/message' });
  });
});

describe('unknown top-level keys', () => {
  it('move to extra under their own names', () => {
    const reading = acceptValue({ ...MINIMAL, extra: { a: 1 }, host: 'web-1', pid: 7 });
    expect(reading.payload.extra).toEqual({ a: 1, host: 'web-1', pid: 7 });
    expect(Object.keys(reading.payload)).toEqual([...RAW_PAYLOAD_KEYS]);
    expect(reading).toMatchObject({ notes: [], added: undefined });
  });

  it('also move if all 17 keys are present', () => {
    expect(acceptValue({ ...samplePayload({ extra: null }), host: 'web-1' }).payload.extra).toEqual({ host: 'web-1' });
  });

  it('do not overwrite members of extra', () => {
    const reading = acceptValue({ ...MINIMAL, extra: { host: 'inner' }, host: 'outer' });
    expect(reading.payload.extra).toEqual({ host: 'inner', faultline: { top_level: { host: 'outer' } } });
  });

  it('keep extra.faultline of the sender apart from the one written here', () => {
    const untouched = samplePayload({ extra: { faultline: { cuts: 'mine' } } });
    expect(acceptValue(untouched)).toMatchObject({ added: [], payload: untouched });
    const reading = acceptValue({ ...untouched, user_id: {}, faultline: 1 });
    expect(reading.payload.extra).toEqual({
      faultline: { original: { user_id: {} }, sender: { cuts: 'mine' }, top_level: { faultline: 1 } },
    });
  });

  it('are plain data even if their names are special in JavaScript', () => {
    const value = parsed(
      `{"app":"a","env":"e","error_name":"E","message":"m","route":"/","service":"s","__proto__":{"polluted":1},"constructor":2,"toString":3,
        "tags":{"__proto__":"t","hasOwnProperty":9},"extra":{"toString":"inner"}}`,
    );
    const { payload } = acceptValue(value);
    expect(JSON.parse(JSON.stringify(payload.extra))).toEqual(
      parsed(
        '{"toString":"inner","__proto__":{"polluted":1},"constructor":2,"faultline":{"top_level":{"toString":3}}}',
      ),
    );
    expect(JSON.stringify(payload.tags)).toBe('{"__proto__":"t","hasOwnProperty":"9"}');
    expect(Object.getPrototypeOf(payload.extra)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('a weight from a sender', () => {
  const forged = { cuts: [], sampled: 900 };

  it.each([900, 0, 'many', null])('moves to extra.faultline.sender with its sibling members: %j', (sampled) => {
    const reading = acceptValue(samplePayload({ extra: { cart: 1, faultline: { cuts: [], sampled } } }));
    expect(reading.payload.extra).toEqual({ cart: 1, faultline: { sender: { cuts: [], sampled } } });
    expect(reading).toMatchObject({ added: undefined, notes: [] });
    expect(weightOf(reading.payload.extra)).toBe(1);
  });

  it('also moves beside extra, in a payload with unknown keys, and in a repaired one', () => {
    for (const value of [
      { ...MINIMAL, faultline: forged },
      { ...samplePayload({ extra: null }), faultline: forged },
      { ...samplePayload({ extra: { faultline: forged } }), host: 'web-1' },
      { ...samplePayload({ extra: { faultline: forged } }), user_id: {} },
      samplePayload({ extra: { faultline: forged }, message: 'x'.repeat(1_001) }),
    ]) {
      const { extra } = acceptValue(value).payload;
      expect(extra).toMatchObject({ faultline: { sender: forged } });
      expect(weightOf(extra)).toBe(1);
    }
  });

  it('stays where it has no effect: elsewhere, and in an object without it', () => {
    for (const extra of [{ sampled: 900 }, { faultline: { inner: { sampled: 900 } } }, { faultline: [900] }]) {
      const value = samplePayload({ extra });
      expect(acceptValue(value)).toMatchObject({ added: [], payload: value });
      expect(weightOf(extra)).toBe(1);
    }
  });

  it('stays in a payload from an operator, also when it is repaired or cut', () => {
    const value = samplePayload({ extra: { faultline: forged } });
    const reading = acceptValue(value, { keepsWeight: true });
    expect(reading.payload).toBe(value);
    expect(reading.added).toEqual([]);
    for (const changed of [
      { ...value, user_id: {} },
      { ...value, message: 'x'.repeat(1_001) },
    ]) {
      const { extra } = acceptValue(changed, { keepsWeight: true }).payload;
      expect(extra).toMatchObject({ faultline: { sampled: 900, sender: forged } });
      expect(weightOf(extra)).toBe(901);
    }
    const unusable = samplePayload({ extra: { faultline: { sampled: -1 } }, message: 'x'.repeat(1_001) });
    expect(weightOf(acceptValue(unusable, { keepsWeight: true }).payload.extra)).toBe(1);
  });
});
