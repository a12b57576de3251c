import type { Preferences } from '../../../tui/preferences/preferences.js';
import { DEFAULT_PREFERENCES } from '../../helpers/default-preferences.js';

/** Window size, colours and characters of a screen. */
export interface TestLook {
  readonly name: string;
  readonly columns: number;
  readonly rows: number;
  readonly env: NodeJS.ProcessEnv;
  readonly preferences: Preferences;
}

const ENV = { LC_ALL: 'C.UTF-8', USER: 'mia' };
const SMALL = { columns: 80, rows: 24 };
const MIDDLE = { columns: 120, rows: 40 };
const WIDE = { columns: 160, rows: 50 };
const LARGE = { columns: 200, rows: 60 };
const NO_COLOUR = { env: { ...ENV, TERM: 'xterm-256color', NO_COLOR: '1' }, preferences: DEFAULT_PREFERENCES };
const SIXTEEN = { env: { ...ENV, TERM: 'xterm' }, preferences: DEFAULT_PREFERENCES };
const MANY = { ...ENV, TERM: 'xterm-256color' };

/** Looks by the suffix of the golden file. */
export const LOOKS = {
  small: { name: '80x24 without colours', ...SMALL, ...NO_COLOUR },
  small16: { name: '80x24 in 16 colours', ...SMALL, ...SIXTEEN },
  tiny: { name: '40x5 without colours', columns: 40, rows: 5, ...NO_COLOUR },
  low: { name: '60x10 without colours', columns: 60, rows: 10, ...NO_COLOUR },
  middle: { name: '120x40 in 16 colours', ...MIDDLE, ...SIXTEEN },
  wide: { name: '160x50 without colours', ...WIDE, ...NO_COLOUR },
  large: { name: '200x60 on a terminal with 256 colours', ...LARGE, env: MANY, preferences: DEFAULT_PREFERENCES },
  contrast: {
    name: '120x40, high contrast',
    ...MIDDLE,
    env: MANY,
    preferences: { ...DEFAULT_PREFERENCES, theme: 'high_contrast' },
  },
  ascii: {
    name: '80x24 in 16 colours, ASCII',
    ...SMALL,
    env: { ...SIXTEEN.env, LC_ALL: 'C' },
    preferences: DEFAULT_PREFERENCES,
  },
  reader: {
    name: '80x24 without colours, for a screen reader',
    ...SMALL,
    env: NO_COLOUR.env,
    preferences: { ...DEFAULT_PREFERENCES, isForScreenReader: true },
  },
} as const satisfies Readonly<Record<string, TestLook>>;
export type LookName = keyof typeof LOOKS;
