import { ASCII_FORMS, toAscii, usesAscii } from '../../../tui/text/characters.js';
import { cellsOf, neutralise } from '../../../tui/text/visible.js';

describe('the signs of the terminal', () => {
  it('have one cell each, also in ASCII', () => {
    for (const [sign, form] of ASCII_FORMS) {
      expect([sign, cellsOf(neutralise(sign))]).toEqual([sign, 1]);
      expect(form).toMatch(/^[!-~]$/);
    }
  });

  it.each([
    [{ LANG: 'de_DE.UTF-8' }, false],
    [{ LANG: 'C', LC_CTYPE: 'en_US.utf8' }, false],
    [{ LANG: 'C.UTF-8', LC_ALL: '' }, false],
    [{ LANG: 'de_DE.UTF-8', LC_ALL: 'C' }, true],
    [{ LANG: 'de_DE@euro' }, true],
    [{}, false],
    [{ LANG: 'POSIX' }, true],
  ])('with %j are those that the locale can show', (env, isAscii) => {
    expect(usesAscii('auto', env)).toBe(isAscii);
    expect(usesAscii('ascii', env)).toBe(true);
    expect(usesAscii('unicode', env)).toBe(false);
  });
});

describe('a row in ASCII', () => {
  it('has a sign for each of ours, in as many cells, with its styles', () => {
    expect(toAscii('\u001b[7m› Läuft… ▁▄█ ✓ ↓ │ ▸▾ ·\u001b[0m')).toBe('\u001b[7m> Läuft~ .=# x v | +- .\u001b[0m');
    for (const sign of ASCII_FORMS.keys()) {
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
