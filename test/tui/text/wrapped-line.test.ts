import { type Line, span, words, wrapLine } from '../../../tui/text/line.js';
import { cellsOf, literal, neutralise } from '../../../tui/text/visible.js';

const textOf = (line: Line): string => line.map(({ text }) => text).join('');

describe('a wrapped line', () => {
  it('breaks at blanks, keeps its styles and indents further rows', () => {
    const rows = wrapLine([words('label  ', 'label'), words('one two three four')], 16, 7);
    expect(rows.map(textOf)).toEqual(['label  one two', '       three', '       four']);
    expect(rows[1]?.[1]?.meaning).toBe('plain');
  });

  it('breaks words that are longer than a row, and loses nothing', () => {
    const text = neutralise(`${'漢字'.repeat(50)}\u001b[31m${'x'.repeat(200)}`);
    for (const cells of [1, 2, 7, 9, 80]) {
      const rows = wrapLine([span(text)], cells, 4);
      expect(rows.map(textOf).join('').replaceAll(' ', '')).toBe(text);
      expect(Math.max(...rows.map((row) => cellsOf(literal(textOf(row)))))).toBeLessThanOrEqual(Math.max(2, cells));
    }
  });

  it('of a megabyte is wrapped row by row, in linear time', () => {
    const text = neutralise('\u202e\u0301x'.repeat(60_000));
    const rows = wrapLine([words('said '), span(text)], 80, 8);
    expect(rows.map(textOf).join('').replaceAll(' ', '')).toBe(`said${text}`);
  });

  it('is one row if it fits, and one without text', () => {
    expect(wrapLine([words('short')], 10)).toEqual([[words('short')]]);
    expect(wrapLine([], 10)).toEqual([[]]);
  });
});
