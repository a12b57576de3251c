import { eventInstant } from '../../../core/normalize/event-instant.js';
import { formatTimestamp } from '../../../core/normalize/timestamp.js';
import { samplePayload } from '../event/sample-payload.js';

const RECEIVED_AT_MICROS = 1_795_260_240_123_456; // 2026-11-21T11:24:00.123456Z

function instantOf(timestamp: string | null): string {
  return formatTimestamp(eventInstant(samplePayload({ timestamp }), RECEIVED_AT_MICROS));
}

describe('when an event happened', () => {
  it('is its own time when that lies before its receipt', () => {
    expect(instantOf('2026-11-21T11:24:00.123455999Z')).toBe('2026-11-21T11:24:00.123455999+00:00');
    expect(instantOf('2020-01-01T00:00:00+01:00')).toBe('2019-12-31T23:00:00.000000000+00:00');
  });

  it('is held to the receipt when the clock of the sender runs ahead, by however little', () => {
    expect(instantOf('2026-11-21T11:24:00.123456001Z')).toBe('2026-11-21T11:24:00.123456000+00:00');
    expect(instantOf('2099-01-01T00:00:00Z')).toBe('2026-11-21T11:24:00.123456000+00:00');
  });

  it.each([[null], ['yesterday'], ['']])('is the receipt when the event says %p', (timestamp) => {
    expect(instantOf(timestamp)).toBe('2026-11-21T11:24:00.123456000+00:00');
  });
});
