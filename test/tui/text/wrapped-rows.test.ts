import fc from 'fast-check';
import { cellsOf, neutralise } from '../../../tui/text/visible.js';
import { WrappedRows } from '../../../tui/text/wrapped-rows.js';

function rowsOf(text: string, cells: number): string[] {
  const wrapped = new WrappedRows(text, { firstCells: cells, restCells: cells });
  return Array.from({ length: wrapped.count() }, (_, index) => {
    const range = wrapped.row(index);
    return text.slice(range?.start, range?.end);
  });
}

describe('wrapped rows', () => {
  it('contain the whole text but for blanks between words, each within its cells', () => {
    const text = fc.array(
      fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('漢', 'e\u0301', '🇩🇪', 'ascii run')),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(text, fc.integer({ min: 12, max: 40 }), (parts, cells) => {
        const joined = parts.join('');
        const rows = rowsOf(joined, cells);
        expect(rows.join('').replaceAll(' ', '')).toBe(joined.replaceAll(' ', ''));
        for (const row of rows) expect(cellsOf(neutralise(row))).toBeLessThanOrEqual(cells);
      }),
    );
  });

  it('break at blanks, and a word that is longer than a row behind a sign', () => {
    expect(rowsOf('    no price for it', 12)).toEqual(['    no price', 'for it']);
    expect(rowsOf('no price for it', 8)).toEqual(['no price', 'for it']);
    expect(rowsOf('/srv/payments/src/db/pool.js', 12)).toEqual(['/srv/', 'payments/', 'src/db/pool.', 'js']);
    expect(rowsOf('Message  abcdefghijklmnop', 12)).toEqual(['Message  abc', 'defghijklmno', 'p']);
    expect(rowsOf('a/b cdefghijklmnop', 8)).toEqual(['a/b cdef', 'ghijklmn', 'op']);
    expect(rowsOf('    abcdefghijkl', 8)).toEqual(['    abcd', 'efghijkl']);
    expect(rowsOf('a \u0301bcdef', 4)).toEqual(['a \u0301bc', 'def']);
  });

  it('break before a wide character that does not fit', () => {
    expect(rowsOf('abc漢字', 4)).toEqual(['abc', '漢字']);
  });

  it('keep a mark with the last letter of a row', () => {
    expect(rowsOf('abce\u0301f', 4)).toEqual(['abce\u0301', 'f']);
  });

  it('are one empty row for an empty line', () => {
    expect(rowsOf('', 10)).toEqual(['']);
  });

  it('contain one glyph each if not even one fits', () => {
    expect(rowsOf('漢字', 1)).toEqual(['漢', '字']);
  });

  it('are found from the start without wrapping the rest', () => {
    const wrapped = new WrappedRows('漢'.repeat(1_000_000), { firstCells: 10, restCells: 8 });
    expect(wrapped.row(1)).toEqual({ start: 5, end: 9 });
    expect(wrapped.count(3)).toBe(3);
    expect(wrapped.count()).toBe(1 + Math.ceil(999_995 / 4));
  });
});
