import type { SettingsFault } from '../../config/check/locate-faults.js';
import { hasSettingsType } from '../../config/component-settings.js';
import { parseEndpoint } from '../../config/values/endpoint.js';
import type { ExtensionsSettings } from '../../generated/settings.js';
import { isLoopbackHost } from '../http/messages/request-guard.js';

/** Finds pprof endpoints that other machines can reach: a heap snapshot contains events and tokens. */
export function checkPprof(extensions: ExtensionsSettings): SettingsFault[] {
  return Object.entries(extensions).flatMap(([id, settings]) => {
    if (!hasSettingsType('pprof', id, settings) || isLoopbackHost(parseEndpoint(settings.endpoint).host)) return [];
    const message = `pprof listens on this machine only: the host must be localhost, 127.0.0.1 or [::1]`;
    const port = parseEndpoint(settings.endpoint).port;
    return [{ path: ['extensions', id, 'endpoint'], message, suggestion: `localhost:${port}` }];
  });
}

const BLANK = /\s/;
const CONTROL = /\p{Cc}/u;

/** Finds configured tokens that no client can send, without printing them. */
export function checkTokens(extensions: ExtensionsSettings): SettingsFault[] {
  return Object.entries(extensions).flatMap(([id, settings]) => {
    if (!hasSettingsType('bearertokenauth', id, settings)) return [];
    const { token, tokens } = settings;
    const path: SettingsFault['path'] = ['extensions', id];
    return [
      ...(token === undefined ? [] : faultsOf(token, [...path, 'token'])),
      ...tokens.flatMap((one, at) => faultsOf(one, [...path, 'tokens', at])),
    ];
  });
}

function faultsOf(token: string, path: SettingsFault['path']): SettingsFault[] {
  const what = BLANK.test(token) ? 'a space' : CONTROL.test(token) ? 'a control character' : undefined;
  if (what === undefined) return [];
  return [{ path, message: `has ${what}, which an HTTP header cannot carry in a token` }];
}
