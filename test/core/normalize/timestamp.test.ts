import fc from 'fast-check';
import { formatTimestamp, type Instant, instantFromMicros, parseTimestamp } from '../../../core/normalize/timestamp.js';

function rewritten(text: string): string | undefined {
  const instant = parseTimestamp(text);
  return instant === undefined ? undefined : formatTimestamp(instant);
}

describe('valid times', () => {
  it.each([
    ['2026-11-21T11:24:00Z', '2026-11-21T11:24:00.000000000+00:00'],
    ['2026-11-21t11:24:00z', '2026-11-21T11:24:00.000000000+00:00'],
    ['2026-11-21 11:24:00.5Z', '2026-11-21T11:24:00.500000000+00:00'],
    ['2026-11-21T11:24:00,25Z', '2026-11-21T11:24:00.250000000+00:00'],
    ['2026-11-21T11:24:00.123456789+00:00', '2026-11-21T11:24:00.123456789+00:00'],
    ['2026-11-21T11:24:00.000000001-00:00', '2026-11-21T11:24:00.000000001+00:00'],
    ['2026-11-21T11:24:00+05:30', '2026-11-21T05:54:00.000000000+00:00'],
    ['2026-11-21T23:30:00.9-02:45', '2026-11-22T02:15:00.900000000+00:00'],
    ['2026-11-21T11:24:00+0530', '2026-11-21T05:54:00.000000000+00:00'],
    ['2026-11-21 11:24:00.123+00', '2026-11-21T11:24:00.123000000+00:00'],
    ['2026-11-21 11:24:00 +0100', '2026-11-21T10:24:00.000000000+00:00'],
    ['2026-11-21T11:24:00+23:59', '2026-11-20T11:25:00.000000000+00:00'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000000000+00:00'],
    ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000000000+00:00'],
    ['1969-12-31T23:59:59.999999999Z', '1969-12-31T23:59:59.999999999+00:00'],
    ['0099-06-01T00:00:00Z', '0099-06-01T00:00:00.000000000+00:00'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000000000+00:00'],
    ['0000-12-31T23:30:00-01:00', '0001-01-01T00:30:00.000000000+00:00'],
    ['9999-12-31T23:59:59.999999999Z', '9999-12-31T23:59:59.999999999+00:00'],
    ['2026-11-21T11:24:00.1234567890000Z', '2026-11-21T11:24:00.123456789+00:00'],
  ])('%s is complete', (text, expected) => {
    expect(rewritten(text)).toBe(expected);
    expect(parseTimestamp(text)?.guesses).toEqual([]);
  });

  it.each([
    ['2026-11-21T11:24:00', '2026-11-21T11:24:00.000000000+00:00', ['TIMESTAMP_OFFSET_MISSING']],
    ['2026-11-21 11:24:00.25', '2026-11-21T11:24:00.250000000+00:00', ['TIMESTAMP_OFFSET_MISSING']],
    ['2026-11-21T11:24:00.9999999999Z', '2026-11-21T11:24:00.999999999+00:00', ['TIMESTAMP_DIGITS_CUT']],
    ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59.999999999+00:00', ['TIMESTAMP_LEAP_SECOND']],
    ['2017-01-01T05:29:60.5+05:30', '2016-12-31T23:59:59.999999999+00:00', ['TIMESTAMP_LEAP_SECOND']],
    [
      '2016-12-31T23:59:60',
      '2016-12-31T23:59:59.999999999+00:00',
      ['TIMESTAMP_OFFSET_MISSING', 'TIMESTAMP_LEAP_SECOND'],
    ],
    ['1795260240', '2026-11-21T11:24:00.000000000+00:00', ['TIMESTAMP_EPOCH_NUMBER']],
    ['1795260240.123456789', '2026-11-21T11:24:00.123456789+00:00', ['TIMESTAMP_EPOCH_NUMBER']],
    [
      '1795260240.1234567891',
      '2026-11-21T11:24:00.123456789+00:00',
      ['TIMESTAMP_EPOCH_NUMBER', 'TIMESTAMP_DIGITS_CUT'],
    ],
    ['1795260240123', '2026-11-21T11:24:00.123000000+00:00', ['TIMESTAMP_EPOCH_NUMBER']],
    ['1795260240123.5', '2026-11-21T11:24:00.123500000+00:00', ['TIMESTAMP_EPOCH_NUMBER']],
    ['1795260240123456', '2026-11-21T11:24:00.123456000+00:00', ['TIMESTAMP_EPOCH_NUMBER']],
    ['1795260240123456789', '2026-11-21T11:24:00.123456789+00:00', ['TIMESTAMP_EPOCH_NUMBER']],
    ['100000000', '1973-03-03T09:46:40.000000000+00:00', ['TIMESTAMP_EPOCH_NUMBER']],
  ])('%s is parsed with a guess', (text, expected, guesses) => {
    expect(rewritten(text)).toBe(expected);
    expect(parseTimestamp(text)?.guesses).toEqual(guesses);
  });
});

describe('invalid times', () => {
  it.each([
    ['nothing', ''],
    ['words', 'yesterday'],
    ['a date alone', '2026-11-21'],
    ['no seconds', '2026-11-21T11:24Z'],
    ['February 30', '2026-02-30T00:00:00Z'],
    ['February 29 of a common year', '2026-02-29T00:00:00Z'],
    ['February 29 of 1900', '1900-02-29T00:00:00Z'],
    ['month 13', '2026-13-01T00:00:00Z'],
    ['month 0', '2026-00-01T00:00:00Z'],
    ['day 0', '2026-01-00T00:00:00Z'],
    ['hour 24', '2026-01-01T24:00:00Z'],
    ['minute 60', '2026-01-01T00:60:00Z'],
    ['second 61', '2026-12-31T23:59:61Z'],
    ['a leap second at noon', '2026-12-31T12:00:60Z'],
    ['a leap second at local midnight only', '2026-12-31T23:59:60+01:00'],
    ['an empty fraction', '2026-11-21T11:24:00.Z'],
    ['an offset of 24 hours', '2026-11-21T11:24:00+24:00'],
    ['an offset of 60 minutes', '2026-11-21T11:24:00+01:60'],
    ['half an offset', '2026-11-21T11:24:00+01:3'],
    ['an offset that ends early', '2026-11-21T11:24:00+01:'],
    ['a sign alone', '2026-11-21T11:24:00+'],
    ['a space at the end', '2026-11-21T11:24:00 '],
    ['words at the end', '2026-11-21T11:24:00Z or so'],
    ['a newline at the end', '2026-11-21T11:24:00Z\n'],
    ['non-ASCII digits', '２０２６-11-21T11:24:00Z'],
    ['a year before 1 in UTC', '0001-01-01T00:00:00+00:01'],
    ['a year after 9999 in UTC', '9999-12-31T23:59:59-00:01'],
    ['a year of five digits', '12026-11-21T11:24:00Z'],
    ['a zero', '0'],
    ['a number too small for a time', '20261121'],
    ['a number too large for a time', '179526024012345678901'],
    ['a negative number', '-1795260240'],
    ['an exponent', '1.79e+21'],
    ['a number without digits after the point', '1795260240.'],
    ['a fraction of digits without end', `2026-11-21T11:24:00.${'1'.repeat(100)}Z`],
  ])('%s', (_, text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  });

  it('are rejected in linear time', () => {
    expect(parseTimestamp('1'.repeat(1_000_000))).toBeUndefined();
  });
});

describe('instants', () => {
  const instants = fc.record({
    ms: fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 }),
    nanos: fc.integer({ min: 0, max: 999_999 }),
  });

  function compare(a: Instant, b: Instant): number {
    return Math.sign(a.ms - b.ms || a.nanos - b.nanos);
  }

  it('are parsed from their text', () => {
    fc.assert(
      fc.property(instants, (instant) => {
        expect(parseTimestamp(formatTimestamp(instant))).toMatchObject(instant);
      }),
    );
  });

  it('sort like their texts', () => {
    fc.assert(
      fc.property(instants, instants, (a, b) => {
        const [textA, textB] = [formatTimestamp(a), formatTimestamp(b)];
        expect(textA < textB ? -1 : Number(textA > textB)).toBe(compare(a, b));
      }),
    );
  });

  it('are the same at any offset', () => {
    fc.assert(
      fc.property(instants, fc.integer({ min: -1439, max: 1439 }), (instant, offset) => {
        const local = { ms: instant.ms + offset * 60_000, nanos: instant.nanos };
        fc.pre(local.ms >= -62_135_596_800_000 && local.ms <= 253_402_300_799_999);
        const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
        const suffix = `${offset < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
        expect(parseTimestamp(formatTimestamp(local).replace('+00:00', suffix))).toMatchObject(instant);
      }),
    );
  });

  it('convert from microseconds without loss, also before 1970', () => {
    expect(formatTimestamp(instantFromMicros(1_795_260_240_123_456))).toBe('2026-11-21T11:24:00.123456000+00:00');
    expect(instantFromMicros(-1)).toEqual({ ms: -1, nanos: 999_000 });
    expect(instantFromMicros(0)).toEqual({ ms: 0, nanos: 0 });
  });

  it('never throw when parsed, and are always in range', () => {
    const shaped = fc
      .tuple(
        fc.constantFrom('2026-11-21', '0000-01-01', '9999-12-31'),
        fc.constantFrom('T', ' ', '_'),
        fc.constantFrom('23:59:60', '00:00:00'),
        fc.string(),
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.bigInt().map(String), fc.double().map(String), shaped), (text) => {
        const instant = parseTimestamp(text);
        if (instant === undefined) return;
        expect(Number.isSafeInteger(instant.ms)).toBe(true);
        expect(instant.nanos).toBeGreaterThanOrEqual(0);
        expect(instant.nanos).toBeLessThan(1_000_000);
        expect(formatTimestamp(instant)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}\+00:00$/);
      }),
    );
  });
});
