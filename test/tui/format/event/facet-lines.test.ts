import { facetChoices, facetLine, facetRows, facetScope } from '../../../../tui/format/event/facet-lines.js';
import type { Line } from '../../../../tui/text/line.js';

const textOf = (line: Line): string => line.map(({ text }) => text).join('');
const histogram = { from: '', to: '', counts: [], is_complete: true };

describe('facets', () => {
  const rows = facetRows([
    {
      field: 'env',
      values: [
        { value: 'production', count: 998 },
        { value: 'dev', count: 1 },
      ],
      others: 0,
      without: 1,
    },
    { field: 'route', values: [], others: 0, without: 1_000 },
    { field: 'user_id', values: [{ value: 'x'.repeat(1_024), count: 2 }], others: 4_990, without: 0 },
  ]);

  it('have a row for each value, the others and the missing ones, and skip fields without values', () => {
    expect(rows.map((row) => ('value' in row ? row.value.slice(0, 10) : row.kind))).toEqual([
      'field',
      'production',
      'dev',
      'without',
      'field',
      'xxxxxxxxxx',
      'others',
    ]);
    expect(facetChoices(rows).map(({ kind }) => kind)).toEqual(['value', 'value', 'without', 'value']);
  });

  it('show 0% and 100% only for exact values', () => {
    const shown = rows
      .slice(1, 4)
      .map((row) => textOf(facetLine(row, { matched: 1_000, cells: 60, margin: 2, hasBars: true })));
    expect(shown).toEqual([
      `    production${' '.repeat(13)}  >99%   998 ${'█'.repeat(20)}`,
      `    dev${' '.repeat(20)}   <1%     1 ▏`,
      `    (none)${' '.repeat(17)}   <1%     1 ▏`,
    ]);
  });

  it('keep their width for any value', () => {
    const lines = rows.map((row) => textOf(facetLine(row, { matched: 5_000, cells: 60, margin: 2, hasBars: true })));
    expect(lines.every((line) => line.length <= 60)).toBe(true);
  });

  it('name the events they count', () => {
    const summary = { histogram, facets: [], looked_at: 5_000, matched: 1, total: 12_345 };
    expect(textOf(facetScope(summary))).toBe('1 of newest 5,000 of 12,345 events');
    expect(textOf(facetScope({ ...summary, matched: 5_000 }))).toBe('newest 5,000 of 12,345 events');
    expect(textOf(facetScope({ ...summary, matched: 5_000, total: 5_000 }))).toBe('5,000 events');
  });
});
