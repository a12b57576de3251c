import type { FoundFault } from '../../config/check/place-faults.js';
import { areSettingsOf } from '../../config/component-settings.js';
import { parseEndpoint } from '../../config/values/endpoint.js';
import type { ExtensionsSettings } from '../../generated/settings.js';
import { isLoopbackHost } from '../http/messages/request-guard.js';

/** Endpoints of pprof that other machines could reach; a snapshot holds whatever is in memory, events and tokens too. */
export function checkPprof(extensions: ExtensionsSettings): FoundFault[] {
  return Object.entries(extensions).flatMap(([id, settings]) => {
    if (!areSettingsOf('pprof', id, settings) || isLoopbackHost(parseEndpoint(settings.endpoint).host)) return [];
    const message = `pprof listens only on this machine: the host must be localhost, 127.0.0.1 or [::1]`;
    const port = parseEndpoint(settings.endpoint).port;
    return [{ path: ['extensions', id, 'endpoint'], message, suggestion: `localhost:${port}` }];
  });
}

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
