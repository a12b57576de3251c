import { findRowShift, shiftRows } from '../../../tui/terminal/row-shift.js';

const rows = (first: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `issue ${first + index} `.padEnd(40, '.'));

describe('rows that moved together', () => {
  it('are found between a fixed head and a fixed foot, with a selection that moved', () => {
    const painted = ['head', ...rows(0, 9), '1/99'];
    const wanted = ['head', ...rows(1, 8), `> ${'issue 9'.padEnd(40, '.')}`, '2/99'];
    expect(findRowShift(painted, wanted, 11)).toEqual({ top: 1, end: 10, up: 1 });
    expect(findRowShift(wanted, painted, 11)).toEqual({ top: 1, end: 10, up: -1 });
  });

  it('are not moved if little would be saved', () => {
    expect(findRowShift(['a', 'b', 'c'], ['b', 'a', 'c'], 3)).toBeUndefined();
    expect(findRowShift([], rows(0, 5), 5)).toBeUndefined();
    expect(findRowShift(rows(0, 5), rows(0, 5), 5)).toBeUndefined();
    expect(findRowShift(rows(0, 5), rows(90, 5), 5)).toBeUndefined();
  });

  it('leave empty rows', () => {
    const painted = ['head', 'a', 'b', 'c', 'foot'];
    shiftRows(painted, { top: 1, end: 4, up: 2 });
    expect(painted).toEqual(['head', 'c', '', '', 'foot']);
    shiftRows(painted, { top: 1, end: 4, up: -1 });
    expect(painted).toEqual(['head', '', 'c', '', 'foot']);
  });
});
