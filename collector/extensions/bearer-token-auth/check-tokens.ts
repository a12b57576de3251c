import type { FoundFault } from '../../../config/check/place-faults.js';
import { areSettingsOf } from '../../../config/component-settings.js';
import type { ExtensionsSettings } from '../../../generated/settings.js';

const BLANK = /\s/;
const CONTROL = /\p{Cc}/u;

/** Tokens in the configuration that nobody could show; they are not repeated. */
export function checkTokens(extensions: ExtensionsSettings): FoundFault[] {
  return Object.entries(extensions).flatMap(([id, settings]) => {
    if (!areSettingsOf('bearertokenauth', id, settings)) return [];
    const { token, tokens } = settings;
    const path: FoundFault['path'] = ['extensions', id];
    return [
      ...(token === undefined ? [] : faultsOf(token, [...path, 'token'])),
      ...tokens.flatMap((one, at) => faultsOf(one, [...path, 'tokens', at])),
    ];
  });
}

function faultsOf(token: string, path: FoundFault['path']): FoundFault[] {
  const what = BLANK.test(token) ? 'a blank' : CONTROL.test(token) ? 'a control character' : undefined;
  if (what === undefined) return [];
  return [{ path, message: `holds ${what}, which no token in a header can: nobody could call with it` }];
}
