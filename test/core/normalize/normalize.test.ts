import fc from 'fast-check';
import type { EventId, FingerprintValue } from '../../../core/event/ids.js';
import { RAW_PAYLOAD_KEYS, type RawPayload } from '../../../core/event/raw-payload.js';
import { eventInstant, normalize, type Receipt } from '../../../core/normalize/normalize.js';
import { formatTimestamp } from '../../../core/normalize/timestamp.js';
import { acceptValue, samplePayload } from '../event/sample-payload.js';

const RECEIPT: Receipt = {
  eventId: '0192f5a0-0000-7000-8000-000000000001' as EventId,
  fingerprint: '0123456789abcdef0123456789abcdef' as FingerprintValue,
  receivedAtMicros: 1_795_260_240_123_456,
};

/** The keys of a normalized event, in order. */
const NORMALIZED_KEYS = [
  'app',
  'env',
  'error_name',
  'event_id',
  'extra',
  'fingerprint',
  'level',
  'message',
  'method',
  'release',
  'request_id',
  'route',
  'service',
  'session_id',
  'stack',
  'status_code',
  'tags',
  'timestamp',
  'type',
  'user_id',
];

function normalized(changes: Partial<RawPayload> = {}) {
  return normalize(samplePayload(changes), RECEIPT).event;
}

const text = fc.string({ unit: 'binary' });
const textOrNull = fc.option(fc.oneof(text, fc.constant('')));
const payloads: fc.Arbitrary<RawPayload> = fc.record({
  app: text,
  env: text,
  error_name: text,
  extra: fc.option(fc.dictionary(text, fc.jsonValue()).map((extra) => JSON.parse(JSON.stringify(extra)))),
  level: textOrNull,
  message: text,
  method: textOrNull,
  release: textOrNull,
  request_id: textOrNull,
  route: text,
  service: text,
  session_id: textOrNull,
  stack: textOrNull,
  status_code: fc.option(fc.maxSafeInteger()),
  tags: fc.dictionary(text, text),
  timestamp: fc.option(
    fc.oneof(
      text,
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    ),
  ),
  user_id: textOrNull,
});

describe('the table of normalized events', () => {
  it('has 20 keys, which are always present, in alphabetical order', () => {
    expect(Object.keys(normalized())).toEqual(NORMALIZED_KEYS);
    expect([...NORMALIZED_KEYS].sort()).toEqual(NORMALIZED_KEYS);
  });

  it.each(RAW_PAYLOAD_KEYS.filter((key) => key !== 'timestamp'))('%s is copied', (key) => {
    expect(normalized()[key]).toEqual(samplePayload()[key]);
  });

  it.each(['method', 'release', 'request_id', 'session_id', 'stack', 'status_code', 'user_id'] as const)(
    '%s stays null',
    (key) => {
      expect(normalized({ [key]: null })[key]).toBeNull();
    },
  );

  it('event_id and fingerprint are the receipt’s', () => {
    expect(normalized()).toMatchObject({ event_id: RECEIPT.eventId, fingerprint: RECEIPT.fingerprint });
  });

  it('extra is an empty object if the raw value is null', () => {
    expect(normalized({ extra: null }).extra).toEqual({});
  });

  it('level is error if the raw value is null, and one word for all names of a level', () => {
    expect(normalized({ level: null }).level).toBe('error');
    expect(normalized({ level: 'critical' }).level).toBe('critical');
    for (const level of ['error', 'ERROR', ' err ', 'ERROR2', 'ERROR+2'])
      expect(normalized({ level }).level).toBe('error');
    for (const level of ['warn', 'warning', 'WARN']) expect(normalized({ level }).level).toBe('warning');
    for (const level of ['fatal', 'Critical', 'panic']) expect(normalized({ level }).level).toBe('critical');
    for (const level of ['P1', '__proto__', 'error of'.repeat(9)]) expect(normalized({ level }).level).toBe(level);
    expect(normalized({ level: '' }).level).toBe('');
  });

  it('route is copied without the method', () => {
    expect(normalized({ method: 'GET', route: '/a' })).toMatchObject({ method: 'GET', route: '/a' });
  });

  it('timestamp is the raw instant in UTC with nine digits', () => {
    expect(normalized({ timestamp: '2026-11-21T12:24:00.5+01:00' }).timestamp).toBe(
      '2026-11-21T11:24:00.500000000+00:00',
    );
  });

  it('timestamp is the sender’s even if it is after the receipt', () => {
    expect(normalized({ timestamp: '2099-01-01T00:00:00Z' }).timestamp).toBe('2099-01-01T00:00:00.000000000+00:00');
  });
});

describe('type', () => {
  it.each([
    ['no stack and no status code', null, null, 'log'],
    ['a stack and a status code', ' at a', 500, 'exception'],
    ['a status code but no stack', null, 500, 'exception'],
    ['a stack but no status code', ' at a', null, 'exception'],
    ['a status code of zero', null, 0, 'exception'],
    ['an empty stack', '', null, 'log'],
    ['an empty stack and a status code', '', 422, 'exception'],
  ] as const)('of an event with %s', (_, stack, status_code, type) => {
    expect(normalized({ stack, status_code }).type).toBe(type);
  });
});

describe('notes', () => {
  it('are empty if nothing was guessed', () => {
    expect(normalize(samplePayload(), RECEIPT).notes).toEqual([]);
  });

  it('are empty for a null timestamp, which defaults to the receipt time', () => {
    const { event, notes } = normalize(samplePayload({ timestamp: null }), RECEIPT);
    expect(event.timestamp).toBe('2026-11-21T11:24:00.123456000+00:00');
    expect(notes).toEqual([]);
  });

  it('report that the receipt time replaces an invalid time', () => {
    const { event, notes } = normalize(samplePayload({ timestamp: '2026-02-30T00:00:00Z' }), RECEIPT);
    expect(event.timestamp).toBe('2026-11-21T11:24:00.123456000+00:00');
    expect(notes).toEqual([expect.objectContaining({ code: 'TIMESTAMP_UNPARSEABLE', field: '/timestamp' })]);
  });

  it.each([
    ['2026-11-21T11:24:00', 'TIMESTAMP_OFFSET_MISSING'],
    ['2026-11-21T11:24:00.1234567891Z', 'TIMESTAMP_DIGITS_CUT'],
    ['2016-12-31T23:59:60Z', 'TIMESTAMP_LEAP_SECOND'],
    ['1795260240', 'TIMESTAMP_EPOCH_NUMBER'],
  ])('report what was guessed in %s', (timestamp, code) => {
    const { notes } = normalize(samplePayload({ timestamp }), RECEIPT);
    expect(notes).toEqual([expect.objectContaining({ code, field: '/timestamp' })]);
  });

  it('report the cuts and moved values that the payload records', () => {
    const reading = acceptValue({ ...samplePayload(), message: 'x'.repeat(1_001), user_id: { id: 1 } });
    const { notes } = normalize(reading.payload, RECEIPT);
    expect(notes).toEqual(expect.arrayContaining([...reading.notes]));
    expect(notes).toHaveLength(2);
  });

  it('count unlisted cuts', () => {
    const extra = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`k${index}`, 'x'.repeat(1_001)]));
    const { notes } = normalize(acceptValue(samplePayload({ extra })).payload, RECEIPT);
    expect(notes).toHaveLength(33);
    expect(notes.at(-1)).toMatchObject({ code: 'NOTES_LEFT_OUT', reason: expect.stringContaining('8 more') });
  });

  it.each([
    ['text', 'x'],
    ['a list', []],
    ['malformed cuts', { cuts: 'x', cuts_total: 'y', original: 5 }],
    [
      'cuts of another shape',
      {
        cuts: [
          null,
          5,
          {},
          { field: 1, limit: 'max_depth', was: 1, kept: 1 },
          { field: '/a', limit: 'toString', was: 1, kept: 1 },
        ],
      },
    ],
    ['originals of no field', { original: { toString: 1, elsewhere: 2 } }],
  ])('ignore an extra.faultline of the sender that holds %s', (_, faultline) => {
    expect(normalize(samplePayload({ extra: { faultline } }), RECEIPT).notes).toEqual([]);
  });
});

describe('normalize, over every payload', () => {
  it('never throws, returns exactly the 20 keys, and copies values unchanged', () => {
    fc.assert(
      fc.property(payloads, (payload) => {
        const before = JSON.stringify(payload);
        const { event } = normalize(payload, RECEIPT);
        expect(Object.keys(event)).toEqual(NORMALIZED_KEYS);
        expect(event.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}\+00:00$/);
        expect(JSON.stringify(payload)).toBe(before);
        for (const key of RAW_PAYLOAD_KEYS) {
          if (!['extra', 'level', 'timestamp'].includes(key)) expect(event[key]).toBe(payload[key]);
        }
      }),
    );
  });
});

function instantOf(timestamp: string | null): string {
  return formatTimestamp(eventInstant(samplePayload({ timestamp }), RECEIPT.receivedAtMicros));
}

describe('the time of an event', () => {
  it('is its own timestamp if that is before its receipt', () => {
    expect(instantOf('2026-11-21T11:24:00.123455999Z')).toBe('2026-11-21T11:24:00.123455999+00:00');
    expect(instantOf('2020-01-01T00:00:00+01:00')).toBe('2019-12-31T23:00:00.000000000+00:00');
  });

  it('is at most its receipt if the clock of the sender is ahead', () => {
    expect(instantOf('2026-11-21T11:24:00.123456001Z')).toBe('2026-11-21T11:24:00.123456000+00:00');
    expect(instantOf('2099-01-01T00:00:00Z')).toBe('2026-11-21T11:24:00.123456000+00:00');
  });

  it.each([[null], ['yesterday'], ['']])('is its receipt if its timestamp is %p', (timestamp) => {
    expect(instantOf(timestamp)).toBe('2026-11-21T11:24:00.123456000+00:00');
  });
});
