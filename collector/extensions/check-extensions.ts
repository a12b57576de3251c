import type { SettingsFault } from '../../config/check/locate-faults.js';
import { hasSettingsType } from '../../config/component-settings.js';
import { collectorName } from '../../core/http-reader/collector-url.js';
import type { BearerTokenAuthExtensionSettings, QueryExtensionSettings, Settings } from '../../generated/settings.js';

/** Finds extensions `mcp` whose `query` extension does not run: they would have no endpoint. */
export function checkMcp({ extensions, service }: Settings): SettingsFault[] {
  return service.extensions.flatMap((id) => {
    const settings = extensions[id];
    if (!hasSettingsType('mcp', id, settings)) return [];
    const { query } = settings;
    if (service.extensions.includes(query) && hasSettingsType('query', query, extensions[query])) return [];
    const message = `is served on the endpoint of ${query}, but service.extensions names no such query extension`;
    return [{ path: ['extensions', id, 'query'], message }];
  });
}

const BLANK = /\s/;
const CONTROL = /\p{Cc}/u;

/** Finds configured tokens that no client can send, without printing them. */
export function checkTokens({ token, tokens }: BearerTokenAuthExtensionSettings): SettingsFault[] {
  return [
    ...(token === undefined ? [] : faultsOf(token, ['token'])),
    ...tokens.flatMap((one, at) => faultsOf(one, ['tokens', at])),
  ];
}

/** Finds peers that would count twice, and those whose URL cannot be followed by a path. */
export function checkPeers({ peers, peers_token }: QueryExtensionSettings): SettingsFault[] {
  const names = peers.map(collectorName);
  return [
    ...peers.flatMap((url, at) => {
      const isRepeated = names.indexOf(names[at] ?? '') < at;
      if (!isRepeated && !url.includes('?')) return [];
      return [{ path: ['peers', at], message: isRepeated ? 'the peer is listed twice' : 'the URL has a query' }];
    }),
    ...(peers_token === undefined ? [] : faultsOf(peers_token, ['peers_token'])),
  ];
}

function faultsOf(token: string, path: SettingsFault['path']): SettingsFault[] {
  const what = BLANK.test(token) ? 'a space' : CONTROL.test(token) ? 'a control character' : undefined;
  if (what === undefined) return [];
  return [{ path, message: `has ${what}, which an HTTP header cannot carry in a token` }];
}
