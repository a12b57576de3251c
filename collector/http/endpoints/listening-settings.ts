import { hasSettingsType } from '../../../config/component-settings.js';
import type { KeyPath } from '../../../config/yaml/config-node.js';
import type {
  AuthSettings,
  ConnectionSettings,
  SentryReceiverSettings,
  Settings,
  TlsServerSettings,
} from '../../../generated/settings.js';
import { type ComparedPath, comparedPath, literalPath, pathBelow, type ServedPath } from './served-path.js';

export interface ListeningSetting {
  readonly component: string;
  /** Path of the endpoint. */
  readonly path: KeyPath;
  readonly endpoint: string;
  /** Undefined for an endpoint without HTTP, which cannot be shared. */
  readonly served: readonly ListedPath[] | undefined;
  /** Absent if the component has no such settings: it uses those of the others. */
  readonly transport?: TransportSettings;
  /** Absent if the endpoint exposes no events, so that everyone may call. */
  readonly access?: EndpointAccess;
}

interface TransportSettings {
  readonly tls?: TlsServerSettings;
  readonly connections?: ConnectionSettings;
}

interface GuardedSettings extends TransportSettings {
  readonly endpoint: string;
  readonly auth: AuthSettings;
  readonly allow_without_token: boolean;
}

interface EndpointAccess {
  readonly settings: GuardedSettings;
  /** What an unauthenticated client could do, for error messages. */
  readonly danger: string;
  /** Whether secrets of its own protocol are configured. */
  readonly hasOwnSecrets: boolean;
}

const SENTRY_CALLS = ['envelope', 'store', 'security', 'csp-report', 'minidump', 'unreal'];
const SENDING = 'could send events';
const READING = 'could read events and act on issues';

/** A route of a component, and the setting that can resolve a conflict. */
export interface ListedPath extends ComparedPath {
  readonly text: string;
  readonly setting: KeyPath;
}

/** Lists every address on which running components and the collector listen, in the order of the settings. */
export function listeningSettings(settings: Settings): readonly ListeningSetting[] {
  return [...ofReceivers(settings), ...ofExtensions(settings), ...ofMetrics(settings)];
}

function ofReceivers({ receivers, service }: Settings): ListeningSetting[] {
  const running = new Set(Object.values(service.pipelines).flatMap((pipeline) => pipeline.receivers));
  return Object.entries(receivers).flatMap(([id, settings]) => {
    const path = ['receivers', id];
    if (!running.has(id)) return [];
    if (hasSettingsType('events', id, settings))
      return [guarded(id, path, settings, [fixed('POST', '/v1/events')], SENDING)];
    if (hasSettingsType('sentry', id, settings)) {
      // For events only: release calls have a token of their own and are closed without it.
      const projects = Object.values(settings.projects);
      const hasKeys = projects.length > 0 && projects.every(({ public_key }) => public_key !== undefined);
      return [guarded(id, path, settings, servedBySentry(settings), SENDING, hasKeys)];
    }
    if (!hasSettingsType('otlp', id, settings)) return [];
    const { http, grpc } = settings.protocols;
    const below = (protocol: string) => [...path, 'protocols', protocol];
    return [
      ...(http === undefined
        ? []
        : [guarded(id, below('http'), http, settable('*', http, ['logs_url_path', 'traces_url_path']), SENDING)]),
      ...(grpc === undefined ? [] : [guarded(id, below('grpc'), grpc, undefined, SENDING)]),
    ];
  });
}

function ofExtensions({ extensions, service }: Settings): ListeningSetting[] {
  return service.extensions.flatMap((id) => {
    const settings = Object.hasOwn(extensions, id) ? extensions[id] : undefined;
    const path = ['extensions', id];
    if (hasSettingsType('query', id, settings)) return [guarded(id, path, settings, [below('/api/v1')], READING)];
    if (hasSettingsType('health_check', id, settings)) {
      const { endpoint, tls } = settings;
      const served = settable('GET', settings, ['path', 'live_path', 'status_path']);
      return [{ ...serving(id, path, endpoint, served), transport: tls === undefined ? {} : { tls } }];
    }
    if (!hasSettingsType('mcp', id, settings)) return [];
    const shared = service.extensions.includes(settings.query) ? extensions[settings.query] : undefined;
    if (!hasSettingsType('query', settings.query, shared)) return [];
    return [serving(id, path, shared.endpoint, [{ ...fixed('*', '/mcp'), key: 'query' }])];
  });
}

function ofMetrics({ service }: Settings): ListeningSetting[] {
  const { level, address } = service.telemetry.metrics;
  if (level === 'none') return [];
  const path = ['service', 'telemetry', 'metrics', 'address'];
  const component = 'service.telemetry.metrics';
  const metrics = fixed('GET', '/metrics');
  const served = [{ ...metrics, ...comparedPath(metrics), setting: path }];
  return [{ component, path, endpoint: address, served }];
}

/** A route; without `key` only another endpoint resolves a conflict. */
interface Serving extends ServedPath {
  readonly text: string;
  readonly key?: string;
}

function fixed(method: string, path: string): Serving {
  return { method, path: literalPath(path), text: path };
}

function below(prefix: string): Serving {
  return { method: '*', path: pathBelow(prefix), text: `${prefix}/` };
}

/** Routes whose paths are settings. */
function settable<Key extends string>(method: string, settings: Readonly<Record<Key, string>>, keys: Key[]): Serving[] {
  return keys.map((key) => ({ ...fixed(method, settings[key]), key }));
}

function servedBySentry({ path_prefix: prefix, tunnel_path: tunnel }: SentryReceiverSettings): Serving[] {
  const key = prefix === undefined ? {} : { key: 'path_prefix' };
  const text = `${prefix ?? ''}/api/<project>/envelope`;
  return [
    ...SENTRY_CALLS.map((call) => ({
      method: 'POST',
      path: `${literalPath(prefix ?? '')}/api/:project/${call}{/}`,
      text,
      ...key,
    })),
    ...(tunnel === undefined ? [] : [{ ...fixed('POST', tunnel), key: 'tunnel_path' }]),
  ];
}

function serving(
  component: string,
  path: KeyPath,
  endpoint: string,
  served: readonly Serving[] | undefined,
): ListeningSetting {
  const withSettings = served?.map(({ key, ...one }) => ({
    ...one,
    ...comparedPath(one),
    setting: [...path, key ?? 'endpoint'],
  }));
  return { component, path: [...path, 'endpoint'], endpoint, served: withSettings };
}

function guarded(
  component: string,
  path: KeyPath,
  settings: GuardedSettings,
  served: readonly Serving[] | undefined,
  danger: string,
  hasOwnSecrets = false,
): ListeningSetting {
  const access = { settings, danger, hasOwnSecrets };
  return { ...serving(component, path, settings.endpoint, served), transport: settings, access };
}
