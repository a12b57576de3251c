import {
  allowsColour,
  createTheme,
  LOOKS,
  PLAIN_THEME,
  type ThemeName,
  type ThemeOptions,
  usesColours,
} from '../../../tui/terminal/theme.js';
import { type Meaning, words } from '../../../tui/text/line.js';

const THEMES: readonly ThemeName[] = ['terminal', 'high_contrast'];
const MEANINGS = Object.keys(LOOKS.terminal).filter((name): name is Meaning => name !== '');

function painted(meaning: Meaning, options: ThemeOptions): string {
  return createTheme(options).paint([words('x', meaning)]);
}

describe('a theme', () => {
  it('high_contrast has no colours and dims nothing', () => {
    for (const meaning of MEANINGS) {
      const shown = painted(meaning, { theme: 'high_contrast', hasColours: true });
      expect(shown).toBe(painted(meaning, { theme: 'high_contrast', hasColours: false }));
      expect(shown).not.toMatch(/\[2[;m]/);
    }
  });

  it.each(THEMES)('%s shows cursor, marked row, match and selected tab differently without colours', (theme) => {
    const shown = (meaning: Meaning): string => painted(meaning, { theme, hasColours: false });
    const shapes = (['plain', 'selected', 'marked', 'match', 'tab_selected'] as const).map(shown);
    expect(shapes[0]).toBe('x');
    expect(new Set(shapes.slice(0, 4)).size).toBe(4);
    for (const shape of shapes.slice(1)) expect(shape).not.toBe('x');
    expect(shown('tab_selected')).not.toBe(shown('tab'));
  });

  it('sends only the 16 colours of the terminal, and none without colours', () => {
    for (const theme of THEMES) {
      for (const meaning of MEANINGS) {
        expect(painted(meaning, { theme, hasColours: false })).not.toMatch(/[;[](?:3|9)\d[;m]|[;[]38;/);
        expect(painted(meaning, { theme, hasColours: true })).not.toMatch(/[;[]38;/);
      }
    }
  });

  it('is by default the one of the terminal, in its own 16 colours', () => {
    expect(painted('critical', { hasColours: true })).toBe('\u001b[1;31mx\u001b[0m');
    expect(painted('muted', { hasColours: true })).toBe('\u001b[2mx\u001b[0m');
    expect(painted('label', { hasColours: false })).toBe('x');
  });

  it('closes each style before the next one, and opens none for an empty text', () => {
    const { paint } = createTheme({ hasColours: true });
    const line = [words('a', 'error'), words('', 'good'), words('b', 'error'), words('c'), words('d', 'selected')];
    expect(paint(line)).toBe('\u001b[31mab\u001b[0mc\u001b[7md\u001b[0m');
    expect(PLAIN_THEME.paint(line)).toBe('abcd');
  });
});

describe('the colours of a terminal', () => {
  it.each([
    [{ TERM: 'xterm-256color' }, true],
    [{ TERM: 'tmux-256color' }, true],
    [{ TERM: 'xterm', COLORTERM: 'truecolor' }, true],
    [{ TERM: 'vt100', COLORTERM: '24bit' }, true],
    [{ TERM: 'xterm' }, true],
    [{ TERM: 'linux' }, true],
    [{}, true],
    [{ TERM: 'dumb' }, false],
    [{ TERM: 'vt100' }, false],
    [{ TERM: 'vt220-w' }, false],
    [{ TERM: 'xterm-mono' }, false],
    [{ TERM: 'xterm-256color', NO_COLOR: '1' }, false],
    [{ TERM: 'xterm-256color', NO_COLOR: '' }, true],
  ] as const)('with %j are used: %s', (env, isUsed) => {
    expect(usesColours(env)).toBe(isUsed);
  });

  it('follow the preferences against the environment', () => {
    expect(usesColours({ NO_COLOR: '1' }, '16')).toBe(true);
    expect(usesColours({ TERM: 'vt100' }, '256')).toBe(true);
    expect(usesColours({ TERM: 'xterm-256color' }, 'none')).toBe(false);
    expect(usesColours({ TERM: 'xterm-256color' }, 'auto')).toBe(true);
  });

  it('is 0 with any NO_COLOR that is not empty', () => {
    expect([{}, { NO_COLOR: '' }, { NO_COLOR: '0' }].map(allowsColour)).toEqual([true, true, false]);
  });
});
