import fc from 'fast-check';
import { inParts, latestWindow, SPANS } from '../../../../tui/format/event/time-window.js';

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
