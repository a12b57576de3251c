import {
  ASCII_FORMS,
  ASCII_SIGNS,
  type Signs,
  signsFor,
  toAscii,
  UNICODE_SIGNS,
} from '../../../tui/text/characters.js';
import { cellsOf, neutralise } from '../../../tui/text/visible.js';

const signsIn = ({ levels, ...signs }: Signs): string[] => [...Object.values(signs), ...levels].map(String);

describe('the signs of the terminal', () => {
  it('have one cell each, also in ASCII', () => {
    for (const sign of [...signsIn(UNICODE_SIGNS), ...signsIn(ASCII_SIGNS)]) {
      expect([sign, cellsOf(neutralise(sign))]).toEqual([sign, 1]);
    }
    for (const sign of signsIn(ASCII_SIGNS)) expect(sign).toMatch(/^[!-~]$/);
    expect(ASCII_SIGNS.levels).toHaveLength(UNICODE_SIGNS.levels.length);
  });

  it.each([
    [{ LANG: 'de_DE.UTF-8' }, UNICODE_SIGNS],
    [{ LANG: 'C', LC_CTYPE: 'en_US.utf8' }, UNICODE_SIGNS],
    [{ LANG: 'C.UTF-8', LC_ALL: '' }, UNICODE_SIGNS],
    [{ LANG: 'de_DE.UTF-8', LC_ALL: 'C' }, ASCII_SIGNS],
    [{ LANG: 'de_DE@euro' }, ASCII_SIGNS],
    [{}, UNICODE_SIGNS],
    [{ LANG: 'POSIX' }, ASCII_SIGNS],
  ])('with %j are those that the locale can show', (env, signs) => {
    expect(signsFor('auto', env)).toBe(signs);
    expect(signsFor('ascii', env)).toBe(ASCII_SIGNS);
    expect(signsFor('unicode', env)).toBe(UNICODE_SIGNS);
  });
});

describe('a row in ASCII', () => {
  it('has a sign for each of ours, in as many cells, with its styles', () => {
    expect(toAscii('\u001b[7m› Läuft… ▁▄█ ✓ ↓ │ ▸▾ ·\u001b[0m')).toBe('\u001b[7m> Läuft~ .=# x v | +- .\u001b[0m');
    for (const sign of [...signsIn(UNICODE_SIGNS), ...ASCII_FORMS.keys()]) {
      expect([toAscii(sign), cellsOf(neutralise(sign))]).toEqual([expect.stringMatching(/^[!-~]$/), 1]);
    }
  });

  it('also shows hidden characters as ASCII', () => {
    expect(toAscii(neutralise('a\u001b[2Jb\u202ec\u007f'))).toBe('a?[2Jb<U+202E>c?');
  });

  it('leaves external text unchanged', () => {
    expect(toAscii('漢字 👍 é')).toBe('漢字 👍 é');
  });
});
