import type { Preferences } from '../../../tui/preferences/preferences.js';
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
import { DEFAULT_PREFERENCES } from '../../helpers/default-preferences.js';
import type { TestTerminal } from '../../helpers/terminal.js';
import { waitFor } from '../../helpers/wait-for.js';
import { createArrayReader, sampleEvent, sampleIssue } from '../array-reader.js';
import { browse, endTerminals } from '../running-terminal.js';
import { DOWN, ENTER } from '../type-keys.js';

/** A style sequence with a colour: of the 16, of 256, or any other. */
const COLOUR = /\u001b\[(?:\d+;)*(?:[39][0-8]|4[0-8]|10[0-7])[;m]/;

const THEMES: readonly ThemeName[] = ['terminal', 'high_contrast'];

afterEach(endTerminals);

/** The parameters of the style of a meaning. */
function styleOf(meaning: Meaning, options: ThemeOptions): string {
  return /^\u001b\[([0-9;]+)m/.exec(createTheme(options).paint([words('x', meaning)]))?.[1] ?? '';
}

/** Meanings with their style in colours, without colours, and in high contrast: 1 is bold, 2 dim, 4 underlined, 7 inverse. */
const STYLES: readonly (readonly [Meaning, colours: string, none: string, contrast: string])[] = [
  ['plain', '', '', ''],
  ['muted', '2', '2', ''],
  ['strong', '1', '1', '1'],
  ['selected', '7', '7', '7'],
  ['marked', '1;35', '1', '1'],
  ['match', '1;4;33', '1;4', '1;7'],
  ['heading', '1', '1', '1;4'],
  ['label', '36', '', '1'],
  ['critical', '1;31', '1', '1;4'],
  ['error', '31', '', '1'],
  ['warning', '33', '', ''],
  ['info', '34', '', ''],
  ['good', '32', '', ''],
  ['in_app', '1', '1', '1'],
  ['added', '1;32', '1', '1'],
  ['removed', '4;31', '4', '4'],
  ['bar', '36', '', ''],
  ['tab_selected', '1;4', '1;4', '1;7'],
];

describe('a theme', () => {
  it.each(STYLES)('shows %s as %j in colours, as %j without, and as %j in high contrast', (meaning, ...styles) => {
    const contrast = { theme: 'high_contrast', hasColours: true } as const;
    expect([
      styleOf(meaning, { hasColours: true }),
      styleOf(meaning, { hasColours: false }),
      styleOf(meaning, contrast),
    ]).toEqual(styles);
    expect(styleOf(meaning, { ...contrast, hasColours: false })).toBe(styles[2]);
  });

  it('has no other meanings', () => {
    const named = STYLES.map(([meaning]) => meaning);
    expect(named).toEqual(expect.arrayContaining(Object.keys(LOOKS.terminal)));
    expect(named).toEqual(expect.arrayContaining(Object.keys(LOOKS.high_contrast)));
  });

  it.each(THEMES)('%s shows cursor, marked row, match and selected tab differently without colours', (theme) => {
    const shapes = (['plain', 'selected', 'marked', 'match', 'added', 'removed'] as const).map((meaning) =>
      styleOf(meaning, { theme, hasColours: false }),
    );
    // Marked rows and added lines have a sign too.
    expect(new Set(shapes).size).toBe(shapes.length - 1);
    expect(styleOf('tab_selected', { theme, hasColours: false })).not.toBe(
      styleOf('tab', { theme, hasColours: false }),
    );
  });

  it('closes each style before the next one, and opens none for an empty text', () => {
    const { paint } = createTheme({ hasColours: true });
    const line = [words('a', 'error'), words('', 'good'), words('b', 'error'), words('c'), words('d', 'selected')];
    expect(paint(line)).toBe('\u001b[31mab\u001b[0mc\u001b[7md\u001b[0m');
    expect(PLAIN_THEME.paint(line)).toBe('abcd');
  });
});

describe('what reaches the terminal', () => {
  /** Keys through a list, an issue and an event, and texts that they bring. */
  const STEPS: readonly (readonly [keys: string, see: string])[] = [
    ['6', '6[All 4]'],
    [` ${DOWN}`, '1 marked'],
    [ENTER, 'another'],
    [ENTER, 'Event 019a3c5e'],
    ['4', 'this event'],
  ];

  function open(env: NodeJS.ProcessEnv, chosen: Partial<Preferences> = {}): TestTerminal {
    const levels = ['critical', 'error', 'warning', 'info'];
    const states = [{ is_new: true }, { regressed: true }, { spiking: true }, { status: 'ignored' as const }];
    const reader = createArrayReader({
      issues: levels.map((level, number) => sampleIssue(number, { level, ...states[number] })),
      events: [sampleEvent(1, 1), sampleEvent(1, 2, { message: 'another' })],
    });
    const preferences = { ...DEFAULT_PREFERENCES, ...chosen };
    return browse(reader, { env: { LC_ALL: 'C.UTF-8', ...env }, preferences }).terminal;
  }

  async function writtenWith(env: NodeJS.ProcessEnv, chosen?: Partial<Preferences>): Promise<string> {
    const terminal = open(env, chosen);
    await terminal.see('Failure2');
    for (const [keys, see] of STEPS) {
      terminal.type(keys);
      await terminal.see(see);
    }
    return terminal.written();
  }

  it.each(['xterm', 'xterm-256color'])(
    'on %s has colours, and only of the 16 that the user has chosen',
    async (TERM) => {
      const written = await writtenWith({ TERM });
      expect(written).toContain('\u001b[1;31mcrit');
      expect(written).not.toMatch(/\u001b\[(?:\d+;)*[34]8;/);
    },
  );

  it.each([
    ['NO_COLOR', { TERM: 'xterm-256color', NO_COLOR: '1' }, {}],
    ['high contrast', { TERM: 'xterm-256color' }, { theme: 'high_contrast' }],
    ['a user who wants none', { TERM: 'xterm-256color' }, { colours: 'none' }],
  ] as const)('has no colour with %s', async (_name, env, chosen) => {
    const written = await writtenWith(env, chosen);
    expect(written).toContain('\u001b[7m');
    expect(COLOUR.exec(written)).toBeNull();
  });

  it('has the same text with and without colours: levels, states, marks and changes are words or signs', async () => {
    const [plain, coloured] = [open({ NO_COLOR: '1' }), open({ TERM: 'xterm' })];
    const screens: string[] = [];
    for (const [keys, see] of [['', 'Failure2'], ...STEPS] as const) {
      for (const terminal of [plain, coloured]) {
        if (keys !== '') terminal.type(keys);
        await terminal.see(see);
      }
      await waitFor('the same text', () => plain.rows().join('\n') === coloured.rows().join('\n'));
      screens.push(plain.rows().join('\n'));
    }
    const text = screens.join('\n');
    for (const state of [/^› \^ warn/m, /^ {2}! error/m, /^ {2}\+ crit/m, /^› - info/m, /^ \*- info/m]) {
      expect(text).toMatch(state);
    }
    expect(text).toMatch(/^ {4}- .*\n {4}\+ /m);
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
