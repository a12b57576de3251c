import type { SettingsFault } from '../../config/check/locate-faults.js';
import { parseEndpoint } from '../../config/values/endpoint.js';
import { collectorName } from '../../core/http-reader/collector-url.js';
import type {
  BearerTokenAuthExtensionSettings,
  PprofExtensionSettings,
  QueryExtensionSettings,
} from '../../generated/settings.js';
import { isLoopbackHost } from '../http/messages/request-guard.js';

/** Finds a pprof endpoint that other machines can reach: a heap snapshot contains events and tokens. */
export function checkPprof(settings: PprofExtensionSettings): SettingsFault[] {
  const { host, port } = parseEndpoint(settings.endpoint);
  if (isLoopbackHost(host)) return [];
  const message = 'pprof listens on this machine only: the host must be localhost, 127.0.0.1 or [::1]';
  return [{ path: ['endpoint'], message, suggestion: `localhost:${port}` }];
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
