import { shortCount } from '../../../tui/text/counts.js';
import { ago, clockTime, durationWords, relativeTime } from '../../../tui/text/moments.js';

describe('ages and counts', () => {
  it.each([
    [0, 'now'],
    [-5_000, 'now'],
    [59_999, 'now'],
    [60_000, '1m'],
    [3_600_000, '1h'],
    [86_400_000 * 364, '364d'],
    [86_400_000 * 365 * 3, '3y'],
  ])('of %s ms is %s', (ageMs, shown) => {
    const now = Date.parse('2026-11-20T10:00:00Z');
    expect(relativeTime(new Date(now - ageMs).toISOString(), now)).toBe(shown);
  });

  it('show a question mark for an invalid time', () => {
    expect([relativeTime('yesterday', 0), clockTime('', 'full'), ago('x', 0)]).toEqual(['?', '?', '?']);
  });

  it('accept times to the nanosecond, in any offset', () => {
    expect(clockTime('2026-11-20T10:11:12.123456789+00:00', 'full')).toBe('2026-11-20 10:11:12');
    expect(clockTime('2026-11-20T01:11:12+02:00', 'short')).toBe('11-19 23:11:12');
  });

  it.each([
    [0, '0'],
    [9_999, '9999'],
    [12_345, '12.3k'],
    [999_999, '999k'],
    [1_999_999, '1.9M'],
    [123_456_789_012, '123G'],
  ])('shorten %s to %s', (count, shown) => {
    expect(shortCount(count)).toBe(shown);
  });
});

it('words for durations are short', () => {
  expect([90_061_000, 900_000, 150_000, 800, 0].map(durationWords)).toEqual(['1d 1h', '15m', '2m 30s', '800ms', '0ms']);
});
