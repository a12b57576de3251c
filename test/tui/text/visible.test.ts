import fc from 'fast-check';
import stringWidth from 'string-width';
import { HIDDEN_CODE_POINT } from '../../../core/event/hidden-characters.js';
import { cellsOf, cutToCells, fitToCells, literal, neutralise, splitAtCells } from '../../../tui/text/visible.js';

/** Text with as many dangerous characters as harmless ones. */
const hostileText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '\u001b[31m',
        '\u009b5n',
        '\u202e',
        '\u200d',
        '\ufe0f',
        '\u0301',
        '\ud800',
        '👨‍👩‍👧',
        '👍🏽',
        '🇩🇪',
        '1\ufe0f\u20e3',
        '漢字',
        '한',
        '\u1112\u1161\u11ab',
      ),
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(''));

describe('neutralise', () => {
  it.each([
    ['a C0 control becomes its picture', 'a\u0000\u001b[2J\u0007b', 'a␀␛[2J␇b'],
    ['newlines and tabs are controls too', 'a\r\n\tb', 'a␍␊␉b'],
    ['DEL becomes its picture', '\u007f', '␡'],
    ['a C1 control becomes its code', '\u009b31m\u0085', '‹U+009B›31m‹U+0085›'],
    ['bidirectional controls become their codes', 'a\u202eb\u2066c\u200f', 'a‹U+202E›b‹U+2066›c‹U+200F›'],
    ['zero-width characters become their codes', 'a\u200bb\ufeffc\u2060\u00ad', 'a‹U+200B›b‹U+FEFF›c‹U+2060›‹U+00AD›'],
    ['separators become their codes', '\u2028\u2029', '‹U+2028›‹U+2029›'],
    ['lone surrogates become their codes', '\ud83d.\ude00', '‹U+D83D›.‹U+DE00›'],
    ['tag characters become their codes', '\u{e0041}', '‹U+E0041›'],
    ['a mark without a letter becomes its code', '\u0301a', '‹U+0301›a'],
    ['marks stay with their letter', 'e\u0301 ก\u0e35\u0e49', 'e\u0301 ก\u0e35\u0e49'],
    ['a fifth mark becomes its code', `e${'\u0301'.repeat(5)}`, `e${'\u0301'.repeat(4)}‹U+0301›`],
    ['an emoji keeps its variation selector', '❤\ufe0f', '❤\ufe0f'],
    ['a selector after a letter becomes its code', 'a\ufe0f', 'a‹U+FE0F›'],
    ['a joined emoji is shown as its parts', '👩‍👧', '👩‹U+200D›👧'],
    ['other text stays unchanged', 'naïve 漢字 🇩🇪 👍🏽 שלום', 'naïve 漢字 🇩🇪 👍🏽 שלום'],
  ])('%s', (_what, text, shown) => {
    expect(neutralise(text)).toBe(shown);
  });

  it('returns only characters that a terminal prints and a reader can see, for any text', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const shown = neutralise(text).replace(/[\ufe0e\ufe0f]/g, '');
        expect(HIDDEN_CODE_POINT.test(shown)).toBe(false);
      }),
    );
  });

  it('is idempotent', () => {
    fc.assert(fc.property(hostileText, (text) => expect(neutralise(neutralise(text))).toBe(neutralise(text))));
  });

  it('accepts a long text of any characters', () => {
    for (const unit of ['x', '漢', '\u001b', '\u202e', '\u0301', '👨‍👩‍👧', '\n']) {
      const text = unit.repeat(100_000 / unit.length);
      expect(neutralise(text).length).toBeGreaterThanOrEqual(text.length / 4);
    }
  });
});

describe('cutToCells', () => {
  it('never exceeds its cells, and returns the whole text if it fits', () => {
    fc.assert(
      fc.property(hostileText, fc.integer({ min: 0, max: 40 }), (text, cells) => {
        const cut = cutToCells(text, cells);
        expect(cellsOf(cut)).toBeLessThanOrEqual(cells);
        if (cellsOf(neutralise(text)) <= cells) expect(cut).toBe(neutralise(text));
        else if (cells > 0) expect(cut.endsWith('…')).toBe(true);
      }),
    );
  });

  it('ends before a wide character that does not fit', () => {
    expect(cutToCells('a漢字b', 4)).toBe('a漢…');
    expect(cutToCells('漢字', 3)).toBe('漢…');
    expect(cutToCells('漢字', 4)).toBe('漢字');
  });

  it('reads no more of a long text than it shows', () => {
    expect(cutToCells(`${'ab'.repeat(500_000)}`, 5)).toBe('abab…');
    expect(cutToCells('\u001b'.repeat(1_000_000), 3)).toBe('␛␛…');
  });
});

describe('cells', () => {
  it('have the width of string-width, except for parts of joined characters', () => {
    for (const text of [
      'plain',
      '漢字カナ',
      'e\u0301',
      '👍🏽',
      '🇩🇪🇫🇷',
      '❤\ufe0f',
      '1\ufe0f\u20e3',
      '한국어',
      '\u1112\u1161\u11ab',
      'ﾊﾟ',
      'สวัสดี',
    ]) {
      expect([text, cellsOf(literal(text))]).toEqual([text, stringWidth(text)]);
    }
  });

  it('fill a column exactly, on either side', () => {
    expect(fitToCells('漢', 4)).toBe('漢  ');
    expect(fitToCells('12', 5, 'right')).toBe('   12');
    expect(fitToCells('123456', 3, 'right')).toBe('12…');
  });

  it('split visible text at the end of a column', () => {
    expect(splitAtCells(literal('Key  漢字'), 6)).toEqual(['Key  ', '漢字']);
    expect(splitAtCells(literal('ab'), 6)).toEqual(['ab', '']);
  });
});
