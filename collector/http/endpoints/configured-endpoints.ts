import { hasSettingsType } from '../../../config/component-settings.js';
import type { KeyPath } from '../../../config/yaml/key-path.js';
import type { AuthSettings, ConnectionSettings, Settings, TlsServerSettings } from '../../../generated/settings.js';

/** The endpoint of one running component. */
export interface ConfiguredEndpoint {
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
export function configuredEndpoints({ receivers, extensions, service }: Settings): readonly ConfiguredEndpoint[] {
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
