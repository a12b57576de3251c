import { BUILT_IN_LOOKS, type Looks, type ThemeName } from '../../../tui/terminal/looks.js';
import {
  allowsColour,
  colourDepth,
  createTheme,
  PLAIN_THEME,
  type Rgb,
  rgbOf,
  type ThemeOptions,
} from '../../../tui/terminal/theme.js';
import { type Meaning, words } from '../../../tui/text/line.js';

const THEMES: readonly ThemeName[] = ['terminal', 'dark', 'light', 'high_contrast'];
const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [255, 255, 255];

/** WCAG 2.2, "relative luminance". */
function luminance(rgb: Rgb): number {
  const [red, green, blue] = rgb.map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
}

/** WCAG 2.2, "contrast ratio". */
function contrast(one: Rgb, other: Rgb): number {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return ((lighter ?? 0) + 0.05) / ((darker ?? 0) + 0.05);
}

function painted(meaning: Meaning, options: ThemeOptions): string {
  return createTheme(options).paint([words('x', meaning)]);
}

const meanings = Object.keys(BUILT_IN_LOOKS.terminal[16]).filter((name): name is Meaning => name !== '');

describe('a theme', () => {
  const grounds: readonly (readonly ['dark' | 'light', 16 | 256, Rgb])[] = [
    ['dark', 16, BLACK],
    ['dark', 256, BLACK],
    ['light', 16, WHITE],
    ['light', 256, WHITE],
  ];
  const coloured = grounds.flatMap(([theme, depth, ground]) =>
    Object.entries(BUILT_IN_LOOKS[theme][depth]).flatMap(([meaning, { colour }]) =>
      colour === undefined ? [] : [[theme, depth, meaning, colour, ground] as const],
    ),
  );

  it.each(coloured)('%s with %d colours shows %s in colour %d with a contrast of at least 4.5', (...look) => {
    const [, , , colour, ground] = look;
    expect(contrast(rgbOf(colour), ground)).toBeGreaterThanOrEqual(4.5);
  });

  it('dims nothing where it chose the colours itself', () => {
    for (const [theme, depth] of grounds) {
      for (const look of Object.values(BUILT_IN_LOOKS[theme][depth])) expect(look.dim).not.toBe(true);
    }
  });

  it('high_contrast has no colours at any depth', () => {
    for (const meaning of meanings) {
      expect(painted(meaning, { theme: 'high_contrast', depth: 256 })).toBe(
        painted(meaning, { theme: 'high_contrast', depth: 0 }),
      );
    }
  });

  it.each(THEMES)('%s tells cursor, choice, finding and tab apart without colours', (theme) => {
    const shapes = (['plain', 'selected', 'cursor_dim', 'marked', 'match', 'tab_selected'] as const).map((meaning) =>
      painted(meaning, { theme, depth: 0 }),
    );
    expect(shapes[0]).toBe('x');
    expect(new Set(shapes.slice(0, 4)).size).toBe(4);
    for (const shape of shapes.slice(1)) expect(shape).not.toBe('x');
    expect(painted('tab_selected', { theme, depth: 0 })).not.toBe(painted('tab', { theme, depth: 0 }));
    expect(painted('bar_selected', { theme, depth: 0 })).not.toBe(painted('bar', { theme, depth: 0 }));
  });

  it('never sends a colour that its terminal does not have', () => {
    for (const theme of THEMES) {
      for (const meaning of meanings) {
        expect(painted(meaning, { theme, depth: 0 })).not.toMatch(/[;[](?:3|9)\d[;m]|[;[]38;/);
        expect(painted(meaning, { theme, depth: 16 })).not.toContain('38;5');
      }
    }
  });

  it('of the terminal itself is the one without a choice, in the 16 colours of its owner', () => {
    expect(painted('critical', { depth: 256 })).toBe('\u001b[1;31mx\u001b[0m');
    expect(painted('muted', { depth: 16 })).toBe('\u001b[2mx\u001b[0m');
    expect(painted('label', { depth: 0 })).toBe('x');
  });

  it('closes each look before the next one, and opens none for nothing', () => {
    const { paint } = createTheme({ theme: 'dark', depth: 256 });
    const line = [words('a', 'error'), words('', 'good'), words('b', 'error'), words('c'), words('d', 'selected')];
    expect(paint(line)).toBe('\u001b[38;5;210mab\u001b[0mc\u001b[7md\u001b[0m');
    expect(PLAIN_THEME.paint(line)).toBe('abcd');
  });
});

describe("a person's own looks", () => {
  const looks: Looks = { error: { colour: 196, bold: true }, muted: { dim: false, colour: 13 }, info: {} };

  it('change what they name and leave the rest of the look as it was', () => {
    expect(painted('error', { depth: 256, looks })).toBe('\u001b[1;38;5;196mx\u001b[0m');
    expect(painted('muted', { depth: 256, looks })).toBe('\u001b[95mx\u001b[0m');
    expect(painted('info', { depth: 256, looks })).toBe('\u001b[34mx\u001b[0m');
    expect(painted('critical', { depth: 256, looks: { critical: { underline: true } } })).toBe(
      '\u001b[1;4;31mx\u001b[0m',
    );
  });

  it('use the nearest of 16 colours on a terminal with 16, and no colour on one without', () => {
    expect(painted('error', { depth: 16, looks })).toBe('\u001b[1;91mx\u001b[0m');
    expect(painted('error', { depth: 16, looks: { error: { colour: 244 } } })).toBe('\u001b[90mx\u001b[0m');
    expect(painted('error', { depth: 0, looks })).toBe('\u001b[1mx\u001b[0m');
  });
});

describe('the colours of a terminal', () => {
  it.each([
    [{ TERM: 'xterm-256color' }, 256],
    [{ TERM: 'tmux-256color' }, 256],
    [{ TERM: 'xterm', COLORTERM: 'truecolor' }, 256],
    [{ TERM: 'xterm', COLORTERM: '24bit' }, 256],
    [{ TERM: 'xterm' }, 16],
    [{ TERM: 'linux' }, 16],
    [{}, 16],
    [{ TERM: 'dumb' }, 0],
    [{ TERM: 'vt100' }, 0],
    [{ TERM: 'vt220-w' }, 0],
    [{ TERM: 'xterm-mono' }, 0],
    [{ TERM: 'xterm-256color', NO_COLOR: '1' }, 0],
    [{ TERM: 'xterm-256color', NO_COLOR: '' }, 256],
  ] as const)('with %j are %d', (env, depth) => {
    expect(colourDepth(env, true)).toBe(depth);
    expect(colourDepth(env, false)).toBe(0);
  });

  it('are those that a person chose, also against the environment, but only on a terminal', () => {
    expect(colourDepth({ NO_COLOR: '1' }, true, 256)).toBe(256);
    expect(colourDepth({ TERM: 'xterm-256color' }, true, 0)).toBe(0);
    expect(colourDepth({ TERM: 'xterm-256color' }, false, 256)).toBe(0);
    expect(colourDepth({ TERM: 'xterm-256color' }, true, 'auto')).toBe(256);
  });

  it('are forbidden by any NO_COLOR that is not empty', () => {
    expect([{}, { NO_COLOR: '' }, { NO_COLOR: '0' }].map(allowsColour)).toEqual([true, true, false]);
  });
});
