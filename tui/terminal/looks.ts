import type { Meaning } from '../text/line.js';

/** The style of a text. */
export interface Look {
  /** 0 to 255; absent: the default colour. The user's terminal defines the hues below 16. */
  readonly colour?: number;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly underline?: boolean;
  readonly inverse?: boolean;
}

/** Looks of some meanings; the theme defines the others. */
export type Looks = Readonly<Partial<Record<Meaning, Look>>>;

/** The number of colours of a terminal. */
export type ColourDepth = 0 | 16 | 256;

/** The built-in themes. */
export type ThemeName = 'terminal' | 'dark' | 'light' | 'high_contrast';

/** The looks of a theme by colour depth. */
interface ThemeLooks {
  readonly 16: Readonly<Record<Meaning, Look>>;
  readonly 256: Readonly<Record<Meaning, Look>>;
}

/** Styles of every theme, which work without colours. */
const SHAPES: Readonly<Record<Meaning, Look>> = {
  plain: {},
  muted: { dim: true },
  strong: { bold: true },
  selected: { inverse: true },
  cursor_dim: { underline: true },
  marked: { bold: true },
  match: { bold: true, underline: true },
  heading: { bold: true },
  label: {},
  critical: { bold: true },
  error: {},
  warning: {},
  info: {},
  good: {},
  in_app: { bold: true },
  json_key: {},
  json_string: {},
  json_number: {},
  json_literal: {},
  added: { bold: true },
  removed: { underline: true },
  bar: {},
  bar_selected: { inverse: true },
  tab: {},
  tab_selected: { bold: true, underline: true },
};

/** The terminal's own colours that are readable on both dark and light backgrounds. */
const TERMINAL = withColours(SHAPES, {
  marked: 5,
  match: 3,
  label: 6,
  critical: 1,
  error: 1,
  warning: 3,
  info: 4,
  good: 2,
  json_key: 6,
  json_string: 2,
  json_number: 3,
  json_literal: 5,
  added: 2,
  removed: 1,
  bar: 6,
  bar_selected: 6,
});

/** Greys instead of dimming, which differs between terminals. */
const UNDIMMED: Readonly<Record<Meaning, Look>> = { ...SHAPES, muted: {} };

const DARK_16 = withColours(UNDIMMED, {
  muted: 8,
  marked: 13,
  match: 11,
  label: 14,
  critical: 9,
  error: 9,
  warning: 11,
  info: 6,
  good: 10,
  json_key: 14,
  json_string: 10,
  json_number: 11,
  json_literal: 13,
  added: 10,
  removed: 9,
  bar: 6,
  bar_selected: 14,
});

const DARK_256 = withColours(UNDIMMED, {
  muted: 245,
  strong: 255,
  marked: 213,
  match: 226,
  heading: 255,
  label: 80,
  critical: 203,
  error: 210,
  warning: 221,
  info: 117,
  good: 114,
  in_app: 255,
  json_key: 80,
  json_string: 150,
  json_number: 215,
  json_literal: 183,
  added: 114,
  removed: 210,
  bar: 74,
  bar_selected: 117,
  tab: 248,
  tab_selected: 255,
});

/** Without green, yellow and cyan of the 16, which are too bright for a white background. */
const LIGHT_16 = withColours(UNDIMMED, {
  marked: 5,
  match: 5,
  label: 4,
  critical: 1,
  error: 1,
  warning: 5,
  info: 4,
  json_key: 4,
  json_number: 5,
  json_literal: 1,
  added: 4,
  removed: 1,
  bar: 4,
  bar_selected: 4,
});

const LIGHT_256 = withColours(UNDIMMED, {
  muted: 241,
  strong: 16,
  marked: 90,
  match: 124,
  heading: 16,
  label: 24,
  critical: 124,
  error: 160,
  warning: 94,
  info: 25,
  good: 22,
  in_app: 16,
  json_key: 24,
  json_string: 22,
  json_number: 94,
  json_literal: 90,
  added: 22,
  removed: 124,
  bar: 25,
  bar_selected: 18,
  tab: 240,
  tab_selected: 16,
});

/** Default foreground and background only. */
const HIGH_CONTRAST: Readonly<Record<Meaning, Look>> = {
  ...UNDIMMED,
  heading: { bold: true, underline: true },
  match: { inverse: true, bold: true },
  critical: { bold: true, underline: true },
  error: { bold: true },
  label: { bold: true },
  json_key: { bold: true },
  tab_selected: { inverse: true, bold: true },
};

/** The looks of the built-in themes. */
export const BUILT_IN_LOOKS: Readonly<Record<ThemeName, ThemeLooks>> = {
  terminal: { 16: TERMINAL, 256: TERMINAL },
  dark: { 16: DARK_16, 256: DARK_256 },
  light: { 16: LIGHT_16, 256: LIGHT_256 },
  high_contrast: { 16: HIGH_CONTRAST, 256: HIGH_CONTRAST },
};

function withColours(
  looks: Readonly<Record<Meaning, Look>>,
  colours: Readonly<Partial<Record<Meaning, number>>>,
): Readonly<Record<Meaning, Look>> {
  const coloured = { ...looks };
  for (const meaning of Object.keys(looks) as Meaning[]) {
    const colour = colours[meaning];
    if (colour !== undefined) coloured[meaning] = { ...looks[meaning], colour };
  }
  return coloured;
}
