import fc from 'fast-check';
import { csvRecord } from '../../../../tui/format/export/csv.js';

/** An independent parser of RFC 4180. */
function parseRecord(record: string): string[] {
  const cells: string[] = [];
  let rest = record;
  for (;;) {
    const match = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n$)/.exec(rest);
    if (match === null) throw new Error(`malformed record: ${JSON.stringify(rest)}`);
    cells.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    rest = rest.slice(match[0].length);
    if (match[3] !== ',') return cells;
  }
}

describe('a CSV record', () => {
  it('quotes separators, quotes and newlines', () => {
    expect(csvRecord(['a', 'b,c', 'say "x"', 'two\nlines', null, 12, true])).toBe(
      'a,"b,c","say ""x""","two\nlines",,12,true\r\n',
    );
  });

  it.each([
    ...['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '＝1', '＠1'],
    ...[' =1', '  -1', '\n+1', '\r\n@x', '\u00a0=1', '\u3000＋1', '\u200b=1', '\ufeff=1', '\u0000=1', ' \u2060\t=1'],
  ])('escapes the formula %j', (text) => {
    expect(parseRecord(csvRecord([text]))).toEqual([`'${text}`]);
  });

  it.each([' a=1', 'a -1', ' ', '1+1', '\u200b'])('does not change %j, which spreadsheets do not evaluate', (text) => {
    expect(parseRecord(csvRecord([text]))).toEqual([text]);
  });

  it('does not escape numbers', () => {
    expect(csvRecord([-1])).toBe('-1\r\n');
  });

  it('round-trips any other text', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }), (cells) => {
        const plain = cells.map((cell) => `x${cell}`);
        expect(parseRecord(csvRecord(plain))).toEqual(plain);
      }),
    );
  });
});
