import { isDeepStrictEqual } from 'node:util';
import type { SettingsFault } from '../../../config/check/locate-faults.js';
import { hasSettingsType } from '../../../config/component-settings.js';
import { parseEndpoint } from '../../../config/values/endpoint.js';
import type { KeyPath } from '../../../config/yaml/key-path.js';
import type { AuthSettings, ConnectionSettings, Settings, TlsServerSettings } from '../../../generated/settings.js';
import { isLoopbackHost } from '../messages/request-guard.js';
import { endpointText } from './addresses.js';
import { checkSharing } from './check-sharing.js';

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

/** The endpoint of one running component. */
interface ConfiguredEndpoint {
  readonly component: string;
  /** Path of the settings with `endpoint`. */
  readonly path: KeyPath;
  readonly endpoint: string;
  readonly tls: TlsServerSettings | undefined;
  /** Undefined if the component has no such setting: it uses that of the others. */
  readonly connections: ConnectionSettings | undefined;
  /** Undefined if the endpoint exposes no events, so that everyone may call. */
  readonly access: EndpointAccess | undefined;
}

/** How an endpoint is protected. */
interface EndpointAccess {
  readonly auth: AuthSettings;
  readonly allowWithoutToken: boolean;
  /** Whether secrets of its own protocol are configured. */
  readonly hasOwnSecrets: boolean;
  /** What an unauthenticated client could do, for error messages. */
  readonly danger: string;
}

interface GuardedSettings {
  readonly endpoint: string;
  readonly tls?: TlsServerSettings;
  readonly connections?: ConnectionSettings;
  readonly auth: AuthSettings;
  readonly allow_without_token: boolean;
}

const SENDING = 'could send events';
const READING = 'could read events and act on issues';

/** Lists the endpoints of all running components, in the order of the settings. */
function configuredEndpoints({ receivers, extensions, service }: Settings): readonly ConfiguredEndpoint[] {
  const running = new Set(Object.values(service.pipelines).flatMap((pipeline) => pipeline.receivers));
  const found: ConfiguredEndpoint[] = [];
  for (const [id, settings] of Object.entries(receivers)) {
    const path = ['receivers', id];
    if (!running.has(id)) continue;
    if (hasSettingsType('events', id, settings)) found.push(guarded(id, path, settings, SENDING));
    if (hasSettingsType('sentry', id, settings)) {
      const projects = Object.values(settings.projects);
      const hasKeys = projects.length > 0 && projects.every(({ public_key }) => public_key !== undefined);
      found.push(guarded(id, path, settings, SENDING, hasKeys));
    }
    if (hasSettingsType('otlp', id, settings)) {
      const { http, grpc } = settings.protocols;
      if (http !== undefined) found.push(guarded(id, [...path, 'protocols', 'http'], http, SENDING));
      if (grpc !== undefined) found.push(guarded(id, [...path, 'protocols', 'grpc'], grpc, SENDING));
    }
  }
  for (const id of service.extensions) {
    const settings = Object.hasOwn(extensions, id) ? extensions[id] : undefined;
    const path = ['extensions', id];
    if (hasSettingsType('query', id, settings)) found.push(guarded(id, path, settings, READING));
    if (hasSettingsType('health_check', id, settings)) {
      const { endpoint, tls } = settings;
      found.push({ component: id, path, endpoint, tls, connections: undefined, access: undefined });
    }
  }
  return found;
}

function guarded(
  component: string,
  path: KeyPath,
  { endpoint, tls, connections, auth, allow_without_token: allowWithoutToken }: GuardedSettings,
  danger: string,
  hasOwnSecrets = false,
): ConfiguredEndpoint {
  return { component, path, endpoint, tls, connections, access: { auth, allowWithoutToken, hasOwnSecrets, danger } };
}
