import { isDeepStrictEqual } from 'node:util';
import type { SettingsFault } from '../../../config/check/locate-faults.js';
import { parseEndpoint } from '../../../config/values/endpoint.js';
import type { Settings } from '../../../generated/settings.js';
import { isLoopbackHost } from '../messages/request-guard.js';
import { endpointText } from './addresses.js';
import { checkSharing } from './check-sharing.js';
import { type ConfiguredEndpoint, configuredEndpoints } from './configured-endpoints.js';

/** Reports endpoints that other machines could use without authentication. */
export function checkEndpoints(settings: Settings): SettingsFault[] {
  return configuredEndpoints(settings).flatMap(checkExposure);
}

/** Reports conflicts between endpoints: ports and paths that are used twice, and different connection settings on one endpoint. */
export function checkEndpointsTogether(settings: Settings): SettingsFault[] {
  return [...checkSharing(settings), ...checkAgreement(configuredEndpoints(settings))];
}

function checkExposure({ path, endpoint, tls, access }: ConfiguredEndpoint): SettingsFault[] {
  if (access === undefined || isLoopbackHost(parseEndpoint(endpoint).host)) return [];
  const { auth, allowWithoutToken, hasOwnSecrets, danger } = access;
  const isGuarded = auth.authenticator !== undefined || hasOwnSecrets || tls?.client_ca_file !== undefined;
  if (isGuarded || allowWithoutToken) return [];
  const message = `other machines reach ${endpoint}, and anybody there ${danger}: name an extension bearertokenauth in auth.authenticator, or set allow_without_token: true if that is intended`;
  return [{ path: [...path, 'endpoint'], message }];
}

/** Reports each endpoint whose settings differ from the first component's. */
function checkAgreement(endpoints: readonly ConfiguredEndpoint[]): SettingsFault[] {
  const firsts = new Map<string, ConfiguredEndpoint>();
  return endpoints.flatMap((one) => {
    const key = endpointText(parseEndpoint(one.endpoint)).toLowerCase();
    const first = firsts.get(key) ?? one;
    firsts.set(
      key,
      first.connections === undefined && one.connections !== undefined
        ? { ...first, connections: one.connections }
        : first,
    );
    return [
      ...(isDeepStrictEqual(one.tls, first.tls) ? [] : [differs(one, 'tls', first, key)]),
      ...(one.connections === undefined || isDeepStrictEqual(one.connections, first.connections ?? one.connections)
        ? []
        : [differs(one, 'connections', first, key)]),
    ];
  });
}

function differs(
  one: ConfiguredEndpoint,
  setting: 'tls' | 'connections',
  first: ConfiguredEndpoint,
  endpoint: string,
): SettingsFault {
  const message = `${one.component} shares the endpoint ${endpoint} with ${first.component}, and their ${setting} differ: write the same, or give one of them another endpoint`;
  return { path: [...one.path, setting], message };
}
