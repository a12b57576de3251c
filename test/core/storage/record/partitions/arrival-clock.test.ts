import fc from 'fast-check';
import {
  ArrivalClock,
  formatMicros,
  hourOfMicros,
  parseMicros,
} from '../../../../../core/storage/record/partitions/arrival-clock.js';

const HOUR_MICROS = 3_600_000_000;

describe('the arrival clock', () => {
  it('is strictly increasing when the wall clock stands still or goes back', () => {
    let wallMs = 1000;
    const clock = new ArrivalClock({ nowMs: () => wallMs });
    const given = [1000, 1000, 400, 1001, 0].map((ms) => {
      wallMs = ms;
      return clock.next();
    });
    expect(given).toEqual([1_000_000, 1_000_001, 1_000_002, 1_001_000, 1_001_001]);
    expect(clock.lastMicros).toBe(1_001_001);
  });

  it('starts after the timestamps of the folder, and after those found later', () => {
    const clock = new ArrivalClock({ nowMs: () => 1, lastMicros: 5_000_000 });
    expect(clock.next()).toBe(5_000_001);
    clock.holdAbove(7_000_000);
    clock.holdAbove(6_000_000);
    expect(clock.next()).toBe(7_000_001);
  });

  it('returns runs of timestamps within one hour', () => {
    const clock = new ArrivalClock({ nowMs: () => 0, lastMicros: HOUR_MICROS - 3 });
    expect(clock.nextRun(2)).toBe(HOUR_MICROS - 2);
    expect(clock.nextRun(2)).toBe(HOUR_MICROS);
    const late = new ArrivalClock({ nowMs: () => 0, lastMicros: HOUR_MICROS - 3 });
    expect(late.nextRun(3)).toBe(HOUR_MICROS);
    expect(late.next()).toBe(HOUR_MICROS + 3);
  });

  it('returns whole microseconds for a wall clock with fractions', () => {
    expect(new ArrivalClock({ nowMs: () => 1.2345678 }).next()).toBe(1234);
  });
});

describe('arrival times', () => {
  it('are formatted with six digits and Z, and parsed back', () => {
    expect(formatMicros(1_795_255_200_000_007)).toBe('2026-11-21T10:00:00.000007Z');
    fc.assert(
      fc.property(fc.nat(Number.MAX_SAFE_INTEGER), (micros) => {
        expect(parseMicros(formatMicros(micros))).toBe(micros);
      }),
    );
  });

  it.each(['2026-11-21T10:00:00Z', '2026-02-30T10:00:00.000000Z', '2026-11-21T10:00:00.000000+00:00', '', 'now'])(
    'are not read from %j',
    (text) => {
      expect(parseMicros(text)).toBeUndefined();
    },
  );

  it('belong to an hour', () => {
    expect([HOUR_MICROS - 1, HOUR_MICROS].map(hourOfMicros)).toEqual([0, 1]);
  });
});
