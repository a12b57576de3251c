import fc from 'fast-check';
import { barsLine } from '../../../tui/format/event/bars-line.js';
import { inParts, latestWindow, SPANS } from '../../../tui/format/event/time-window.js';
import { histogramRows } from '../../../tui/screens/issue/issue-bars.js';
import type { Line } from '../../../tui/text/line.js';
import { durationWords } from '../../../tui/text/moments.js';

const textOf = (line: Line): string => line.map(({ text }) => text).join('');

it('bars have sixteen steps over two rows, and show every count above 0', () => {
  const counts = [0, 1, 8, 9, 15, 16, 1_600];
  expect(histogramRows(counts.slice(0, 6), 2).map(textOf)).toEqual(['   ▁▇█', ' ▁████']);
  expect(histogramRows(counts, 1).map(textOf)).toEqual([' ▁▁▁▁▁█']);
  expect(histogramRows([0, 0], 2).map(textOf)).toEqual(['  ', '  ']);
});

it('one line of bars names its length, its greatest count, and its end unless that is now', () => {
  const histogram = {
    from: '2026-11-20T10:00:00Z',
    to: '2026-11-20T12:00:00Z',
    counts: [0, 4, 1_580, 79],
    is_complete: false,
  };
  const clock = { nowMs: Date.parse('2026-11-20T12:10:00Z'), zone: 'utc' } as const;
  const options = { label: '6h', clock, cells: 80, isForScreenReader: false };
  expect(textOf(barsLine(histogram, options))).toMatch(/^6h {2}·.█. max 1,580 per 30m, newest only$/);
  const later = { ...clock, nowMs: Date.parse('2026-11-21T00:00:00Z') };
  expect(textOf(barsLine(histogram, { ...options, clock: later }))).toMatch(/newest only to 20 Nov 12:00$/);
  expect(textOf(barsLine(histogram, { ...options, clock: later, cells: 40 }))).not.toContain('20 Nov');
  expect(textOf(barsLine(histogram, { ...options, isForScreenReader: true }))).toBe(
    '6h  1,663 events, max 1,580 per 30m, newest only',
  );
});

it('a time window has round parts, ends with the latest event, and fits its cells', () => {
  const day = latestWindow({ first_seen: '2026-01-01T00:00:00Z', last_seen: '2026-11-22T20:34:08.798Z' }, '24h', 57);
  expect(day).toEqual({ from: '2026-11-21T21:00:00.000Z', to: '2026-11-22T21:00:00.000Z', parts: 48 });
  expect(inParts(day, 144).parts).toBe(144);
  const last = '9999-12-31T23:59:59.999Z';
  expect(latestWindow({ first_seen: last, last_seen: last }, '24h', 48).to).toBe(last);
  const times = fc.integer({ min: 0, max: Date.parse('2030-01-01T00:00:00Z') });
  fc.assert(
    fc.property(
      times,
      times,
      fc.constantFrom(...SPANS),
      fc.integer({ min: 8, max: 400 }),
      (one, other, span, cells) => {
        const [first_seen, last_seen] = [Math.min(one, other), Math.max(one, other)].map((ms) =>
          new Date(ms).toISOString(),
        );
        const { from, to, parts } = latestWindow(
          { first_seen: first_seen ?? '', last_seen: last_seen ?? '' },
          span,
          cells,
        );
        expect(parts).toBeLessThanOrEqual(Math.min(cells, 240));
        expect(Math.max(one, other)).toBeLessThan(Date.parse(to));
        expect(Date.parse(from)).toBeLessThanOrEqual(span === 'all' ? Math.min(one, other) : Math.max(one, other));
        expect((Date.parse(to) - Date.parse(from)) / parts).toBeGreaterThanOrEqual(60_000);
      },
    ),
  );
});

it('words for durations are short', () => {
  expect([90_061_000, 900_000, 150_000, 800, 0].map(durationWords)).toEqual(['1d 1h', '15m', '2m 30s', '800ms', '0ms']);
});
