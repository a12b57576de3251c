import fc from 'fast-check';
import { parseSnooze, printSnooze } from '../../../core/issues/snooze.js';
import { action } from './sample-actions.js';

const NOW_MS = Date.parse('2026-11-21T10:00:00Z');

describe('the snooze grammar', () => {
  it.each([
    ['', {}, null],
    ['  ', {}, null],
    ['forever', {}, null],
    ['7d', { until: '2026-11-28T10:00:00Z' }, 'until:2026-11-28T10:00:00Z'],
    ['12h', { until: '2026-11-21T22:00:00Z' }, 'until:2026-11-21T22:00:00Z'],
    ['30m', { until: '2026-11-21T10:30:00Z' }, 'until:2026-11-21T10:30:00Z'],
    ['2w', { until: '2026-12-05T10:00:00Z' }, 'until:2026-12-05T10:00:00Z'],
    ['100x', { count: 100 }, '100x'],
    ['100x/1h', { count: 100, per_ms: 3_600_000 }, '100x/1h'],
    ['100x/h', { count: 100, per_ms: 3_600_000 }, '100x/1h'],
    ['5x/120m', { count: 5, per_ms: 7_200_000 }, '5x/2h'],
    ['until:2026-12-24', { until: '2026-12-24T00:00:00Z' }, 'until:2026-12-24T00:00:00Z'],
    ['until:2026-12-24T10:00:00Z', { until: '2026-12-24T10:00:00Z' }, 'until:2026-12-24T10:00:00Z'],
    ['until:2026-12-24T10:00:00+02:00', { until: '2026-12-24T08:00:00Z' }, 'until:2026-12-24T08:00:00Z'],
  ])('parses %j and prints its meaning', (text, data, printed) => {
    const snooze = parseSnooze(text, NOW_MS);
    expect(snooze).toEqual(data);
    expect(printSnooze(action('ignore', 0, { ...snooze }))).toBe(printed);
  });

  it.each([
    'soon',
    '7',
    '0d',
    '0x',
    '7y',
    '-7d',
    '1000000w',
    '10001x/1h',
    '100x/',
    '100x/0h',
    'until:',
    'until:2026-02-31',
    'until:2026-11-21',
    'until:9999-01-01',
    'x'.repeat(100_000),
  ])('rejects an invalid snooze, number %#', (text) => {
    expect(() => parseSnooze(text, NOW_MS)).toThrow(expect.objectContaining({ code: 'SNOOZE_INVALID' }));
  });

  it('parses what it printed, or names what was expected', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^\d{0,4}[mhdwx]?(\/\d{0,3}[mhdw])?$/)), (text) => {
        try {
          const snooze = parseSnooze(text, NOW_MS);
          const printed = printSnooze(action('ignore', 0, { ...snooze })) ?? 'forever';
          expect(parseSnooze(printed, NOW_MS)).toEqual(snooze);
        } catch (error) {
          expect(error).toMatchObject({ code: 'SNOOZE_INVALID' });
        }
      }),
    );
  });
});
