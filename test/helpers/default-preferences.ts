import type { Preferences } from '../../tui/preferences/preferences.js';

/** The default preferences. */
export const DEFAULT_PREFERENCES: Preferences = {
  theme: 'terminal',
  colours: 'auto',
  characters: 'auto',
  time: 'utc',
  isMouseOn: false,
  isForScreenReader: false,
  links: {},
  keys: new Map(),
  contexts: new Map(),
  defaultContext: undefined,
};
