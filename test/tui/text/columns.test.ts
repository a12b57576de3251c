import { PLAIN_THEME } from '../../../tui/terminal/theme.js';
import { type Column, fitColumns, headingLine, rowLines } from '../../../tui/text/columns.js';
import { shortCount } from '../../../tui/text/counts.js';
import { ago, clockTime, relativeTime } from '../../../tui/text/moments.js';

const COLUMNS: readonly Column<{ name: string; count: number }>[] = [
  { heading: 'COUNT', cells: 5, align: 'right', text: ({ count }) => String(count) },
  { heading: 'EXTRA', cells: (width) => width / 10, from: 40, text: () => 'x' },
  { heading: 'NAME', cells: 'rest', text: ({ name }) => name },
];

const table = (width: number): string[] => {
  const fitted = fitColumns(COLUMNS, width, 2);
  const row = { name: 'a name of some length\u001b', count: 12 };
  return [
    headingLine(fitted),
    ...rowLines(fitted, [row, row], (_, index) => (index === 1 ? 'selected' : undefined)),
  ].map(PLAIN_THEME.paint);
};

describe('the columns of a table', () => {
  it('share a narrow width, and the column without a size has the rest', () => {
    expect(table(22)).toEqual(['COUNT NAME', '   12 a name of som…', '   12 a name of som…']);
  });

  it('appear if there is room for them', () => {
    expect(table(50)).toEqual([
      'COUNT EXTRA NAME',
      '   12 x     a name of some length␛',
      `   12 x     a name of some length␛${' '.repeat(14)}`,
    ]);
  });
});

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
