import type { Meaning } from '../text/line.js';

/** What a piece of text looks like. */
export interface Look {
  /** 0 to 255; absent: the terminal's own. Below 16 its owner chose the hue. */
  readonly colour?: number;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly underline?: boolean;
  /** Text and background change places. */
  readonly inverse?: boolean;
}

/** A look for some of the meanings; the others look as the theme has them. */
export type Looks = Readonly<Partial<Record<Meaning, Look>>>;

/** How many colours a terminal shows. */
export type ColourDepth = 0 | 16 | 256;

/** The themes that come with the terminal. */
export type ThemeName = 'terminal' | 'dark' | 'light' | 'high_contrast';
