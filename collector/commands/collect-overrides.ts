import { type ConfigSources, examineConfig } from '../../config/load-config.js';
import { parseComponentId } from '../../config/values/component-id.js';
import type { Settings } from '../../generated/settings.js';

/** What `--data` and `--port` of `faultline collect` override. */
export interface CollectOverrides {
  /** Data folder. */
  readonly directory?: string | undefined;
  /** Port for events, OTLP over HTTP and Sentry; gRPC has the one below, reading the one above. 0: free ports. */
  readonly port?: number | undefined;
}

/**
 * The `--set` options that `--data` and `--port` stand for; hosts stay as configured. Without `--config`, `--port` turns off health and metrics unless
 * a `--set` configures them.
 */
export function overridingSets(sources: ConfigSources, isDefault: boolean, overrides: CollectOverrides): string[] {
  const { directory, port } = overrides;
  if (directory === undefined && port === undefined) return [];
  // The problems of an invalid configuration are reported when it is loaded.
  const { settings } = examineConfig(sources);
  if (settings === undefined) return [];
  const store = Object.keys(settings.exporters).find((id) => parseComponentId(id).type === 'store') ?? 'store';
  const isSet = (name: string): boolean => sources.sets.some((set) => set.includes(name));
  const isQuiet = port !== undefined && isDefault;
  return [
    ...(directory === undefined ? [] : [`exporters::${store}::directory=${literal(directory)}`]),
    ...(port === undefined ? [] : endpointSets(settings, port)),
    ...(isQuiet && !isSet('health_check') ? ['service.extensions=[query]'] : []),
    ...(isQuiet && !isSet('metrics') ? ['service.telemetry.metrics.level=none'] : []),
  ];
}

function endpointSets({ receivers, extensions }: Settings, port: number): string[] {
  const set = (path: string, endpoint: string, offset: number): string =>
    `${path}::endpoint=${literal(endpoint.replace(/\d+$/, String(port === 0 ? 0 : port + offset)))}`;
  const ofReceivers = Object.entries(receivers).flatMap(([id, settings]) => {
    if ('endpoint' in settings) return [set(`receivers::${id}`, settings.endpoint, 0)];
    if (!('protocols' in settings)) return [];
    const { http, grpc } = settings.protocols;
    const path = `receivers::${id}::protocols`;
    return [
      ...(http === undefined ? [] : [set(`${path}::http`, http.endpoint, 0)]),
      ...(grpc === undefined ? [] : [set(`${path}::grpc`, grpc.endpoint, -1)]),
    ];
  });
  const ofExtensions = Object.entries(extensions).flatMap(([id, settings]) =>
    parseComponentId(id).type === 'query' && 'endpoint' in settings
      ? [set(`extensions::${id}`, settings.endpoint, 1)]
      : [],
  );
  return [...ofReceivers, ...ofExtensions];
}

/** A string in YAML; a single dollar sign would begin a reference. */
function literal(text: string): string {
  return JSON.stringify(text).replaceAll('$', '$$$$');
}
