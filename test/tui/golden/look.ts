import type { Preferences } from '../../../tui/preferences/preferences.js';
import { DEFAULT_PREFERENCES } from '../../helpers/default-preferences.js';

/** Window size and way of drawing of a screen. */
export interface TestLook {
  readonly name: string;
  readonly columns: number;
  readonly rows: number;
  readonly env: NodeJS.ProcessEnv;
  readonly preferences: Preferences;
}

const SMALL = { columns: 80, rows: 24 };
const PLAIN = { env: { LC_ALL: 'C.UTF-8', TERM: 'xterm', USER: 'mia' }, preferences: DEFAULT_PREFERENCES };

/** Looks by the suffix of the golden file. */
export const LOOKS = {
  small: { name: '80x24', ...SMALL, ...PLAIN },
  tiny: { name: '40x5', columns: 40, rows: 5, ...PLAIN },
  low: { name: '60x10', columns: 60, rows: 10, ...PLAIN },
  wide: { name: '160x50', columns: 160, rows: 50, ...PLAIN },
  large: { name: '200x60', columns: 200, rows: 60, ...PLAIN },
  ascii: { name: '80x24, ASCII', ...SMALL, ...PLAIN, env: { ...PLAIN.env, LC_ALL: 'C' } },
  reader: {
    name: '80x24, for a screen reader',
    ...SMALL,
    ...PLAIN,
    preferences: { ...DEFAULT_PREFERENCES, isForScreenReader: true },
  },
} as const satisfies Readonly<Record<string, TestLook>>;
export type LookName = keyof typeof LOOKS;
