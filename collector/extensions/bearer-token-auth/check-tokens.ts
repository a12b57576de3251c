import { areSettingsOf } from '../../../config/component-settings.js';
import type { FoundFault } from '../../../config/place-faults.js';
import type { ExtensionsSettings } from '../../../config/settings.js';

const BLANK = /\s/;
const MESSAGE = 'holds a blank, which no token in a header can: nobody could call with it';

/** Tokens in the configuration that nobody could show; they are not repeated. */
export function checkTokens(extensions: ExtensionsSettings): FoundFault[] {
  return Object.entries(extensions).flatMap(([id, settings]) => {
    if (!areSettingsOf('bearertokenauth', id, settings)) return [];
    const { token, tokens } = settings;
    const path: FoundFault['path'] = ['extensions', id];
    return [
      ...(token !== undefined && BLANK.test(token) ? [{ path: [...path, 'token'], message: MESSAGE }] : []),
      ...tokens.flatMap((one, at) => (BLANK.test(one) ? [{ path: [...path, 'tokens', at], message: MESSAGE }] : [])),
    ];
  });
}
