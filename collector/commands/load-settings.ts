import { extendSchema } from '../../config/check/plugin-schemas.js';
import { ConfigError, type ConfigProblem, formatProblem } from '../../config/config-error.js';
import { loadDefaultConfig } from '../../config/default-config.js';
import {
  type ConfigSources,
  examineConfig,
  type LoadedConfig,
  loadConfig,
  pluginsIn,
} from '../../config/load-config.js';
import { parseComponentId } from '../../config/values/component-id.js';
import { readConfigFiles, readReferencedFile } from '../../config/yaml/read-config-files.js';
import type { Settings } from '../../generated/settings.js';
import { loadPlugins, type PluginComponent } from '../plugins/load-plugins.js';
import { checkSettings } from '../service/check-settings.js';
import type { TextSink } from './command-line.js';

/** The configuration of a command. */
export interface ConfigOptions {
  /** Paths, `env:NAME` or `yaml:TEXT`; empty: the embedded default. */
  config: readonly string[];
  /** `a.b.c=v`; override all files. */
  set: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  /** Whether to merge files without a `service` over the embedded default; default false. */
  isPartial?: boolean;
  /** Data folder, of `collect --data`. */
  directory?: string | undefined;
  /** `collect --port`: port for events, OTLP over HTTP and Sentry; gRPC has the one below, reading the one above. 0: free ports. */
  port?: number | undefined;
}

/** A valid configuration with the plugins that it names. */
export interface LoadedSettings extends LoadedConfig {
  readonly plugins: readonly PluginComponent[];
}

const SERVICE = /^service\s*:/m;

/** Loads a configuration. If it is invalid, prints every problem and warning, one per line, and returns undefined. */
export async function loadSettings(options: ConfigOptions, stderr: TextSink): Promise<LoadedSettings | undefined> {
  try {
    const sources = await readSources(options);
    return { ...loadConfig(sources), plugins: sources.plugins };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    printProblems(stderr, error.problems.map(formatProblem), error.warnings);
    return undefined;
  }
}

/** A configuration with the plugins that it names. */
interface PluggedSources extends ConfigSources {
  readonly plugins: readonly PluginComponent[];
  readonly pluginProblems: readonly ConfigProblem[];
}

/** Reads the files of a configuration and loads its plugins. Throws a ConfigError if that fails. */
export async function readSources(options: ConfigOptions): Promise<PluggedSources> {
  const read = await readConfigFiles(options.config, options.env);
  const isComplete = read.some(({ text }) => SERVICE.test(text));
  const files = options.isPartial === true && !isComplete ? [loadDefaultConfig(), ...read] : read;
  const { set: sets, env } = options;
  const named = { files, sets, env, readFile: readReferencedFile };
  const { components: plugins, problems: pluginProblems } = await loadPlugins(pluginsIn(named));
  const extended = plugins.length > 0 && { extended: await extendSchema(plugins) };
  const sources = { ...named, ...extended, pluginProblems };
  return { ...sources, plugins, check: checkSettings, sets: [...overridingSets(sources, options), ...sets] };
}

/** Prints problems and warnings, one per line. */
export function printProblems(stderr: TextSink, problems: readonly string[], warnings: readonly string[]): void {
  const lines = [...problems, ...warnings.map((text) => `warning: ${text}`)];
  if (lines.length > 0) stderr.write(`${lines.join('\n')}\n`);
}

/** The `--set` options that `--data` and `--port` stand for. Without `--config`, `--port` turns off health and metrics unless they are set. */
function overridingSets(sources: ConfigSources, { config, directory, port }: ConfigOptions): string[] {
  if (directory === undefined && port === undefined) return [];
  // The problems of an invalid configuration are reported when it is loaded.
  const { settings } = examineConfig(sources);
  if (settings === undefined) return [];
  const store = Object.keys(settings.exporters).find((id) => parseComponentId(id).type === 'store') ?? 'store';
  const isSet = (name: string): boolean => sources.sets.some((set) => set.includes(name));
  const isQuiet = port !== undefined && config.length === 0;
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
