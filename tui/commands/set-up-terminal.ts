import { DEFAULT_KEYMAP, type Keymap } from '../keymap.js';
import { signsFor, UNICODE_SIGNS } from '../preferences/characters.js';
import { applyKeys } from '../preferences/check-keys.js';
import { colourDepth } from '../preferences/colour-depth.js';
import type { Preferences } from '../preferences/preferences.js';
import { toAscii } from '../preferences/to-ascii.js';
import type { Habits } from '../state/terminal-state.js';
import { createTheme, type Theme } from '../theme.js';

/** How a terminal looks and listens. */
export interface TerminalSetUp {
  readonly theme: Theme;
  readonly keymap: Keymap;
  readonly habits: Habits;
}

/** Puts together what a person chose and what the environment says of the terminal. */
export function setUpTerminal(env: NodeJS.ProcessEnv, preferences?: Preferences): TerminalSetUp {
  const depth = colourDepth(env, true, preferences?.colours);
  const theme = createTheme({
    depth,
    ...(preferences !== undefined && { theme: preferences.theme, looks: preferences.looks }),
  });
  const isAscii = signsFor(preferences?.characters ?? 'auto', env) !== UNICODE_SIGNS;
  return {
    theme: isAscii ? { paint: (line) => toAscii(theme.paint(line)) } : theme,
    keymap: preferences === undefined ? DEFAULT_KEYMAP : applyKeys(DEFAULT_KEYMAP, preferences.keys),
    habits: {
      time: preferences?.time ?? 'utc',
      characters: isAscii ? 'ascii' : 'unicode',
      isForScreenReader: preferences?.isForScreenReader ?? false,
      mouse: preferences?.isMouseOn ?? false,
    },
  };
}
