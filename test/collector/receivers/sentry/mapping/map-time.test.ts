import { eventTime } from '../../../../../collector/receivers/sentry/mapping/map-time.js';
import type { JsonValue } from '../../../../../core/event/json.js';

const RECEIVED = Date.parse('2026-11-21T10:00:00Z');

describe('the time of a Sentry event', () => {
  it.each<[JsonValue, string]>([
    [1795255200, '2026-11-21T10:00:00.000Z'],
    [1795255200.123456, '2026-11-21T10:00:00.123456Z'],
    ['1795255200.5', '2026-11-21T10:00:00.500Z'],
    [-0.5, '1969-12-31T23:59:59.500Z'],
    ['2026-11-21T10:00:00Z', '2026-11-21T10:00:00.000Z'],
    ['2026-11-21T11:00:00.123456789+01:00', '2026-11-21T10:00:00.123456789Z'],
    ['2026-11-21T11:00:00.1234567+0100', '2026-11-21T10:00:00.1234567Z'],
    ['2026-11-21T10:00:00.25', '2026-11-21T10:00:00.250Z'],
  ])('is parsed from %j', (own, timestamp) => {
    expect(eventTime(own, undefined, RECEIVED)).toEqual({ timestamp, clockDriftMs: null });
  });

  it.each<[JsonValue]>([
    ['yesterday'],
    [1e300],
    [Number.POSITIVE_INFINITY],
    [null],
    [{}],
    ['2026-13-41T10:00:00Z'],
    ['9'.repeat(400)],
  ])('is the time of sending if %j is invalid', (own) => {
    expect(eventTime(own, '2026-11-21T09:59:30Z', RECEIVED).timestamp).toBe('2026-11-21T09:59:30.000Z');
    expect(eventTime(own, 'odd', RECEIVED)).toEqual({ timestamp: null, clockDriftMs: null });
  });

  it.each<[string, string, number | null]>([
    ['2026-11-21T09:59:00Z', '2026-11-21T08:00:00.000Z', null],
    ['2026-11-21T09:58:59Z', '2026-11-21T08:01:01.000Z', 61_000],
    ['2026-11-21T11:00:00Z', '2026-11-21T07:00:00.000Z', -3_600_000],
  ])('is corrected by a difference of more than a minute: sent at %s', (sentAt, timestamp, clockDriftMs) => {
    expect(eventTime('2026-11-21T08:00:00Z', sentAt, RECEIVED)).toEqual({ timestamp, clockDriftMs });
  });

  it('is the time of receipt if the time of sending is known by a wrong clock only', () => {
    expect(eventTime(null, '2026-11-20T10:00:00Z', RECEIVED)).toEqual({ timestamp: null, clockDriftMs: 86_400_000 });
  });

  it('is not corrected beyond the calendar', () => {
    expect(eventTime('0001-01-01T00:00:00Z', '2026-11-21T11:00:00Z', RECEIVED)).toEqual({
      timestamp: '0001-01-01T00:00:00.000Z',
      clockDriftMs: null,
    });
  });
});
