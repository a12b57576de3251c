import { stringify } from 'yaml';
import {
  COMPONENT_SECTIONS,
  type ComponentSection,
  loadConfigSchema,
  type SchemaNode,
} from '../../config/check/config-schema.js';
import { ConfigError, formatProblem } from '../../config/config-error.js';
import { settingsMarkdown } from '../../config/settings-markdown.js';
import { describeSection, type SettingsTable } from '../../config/settings-reference.js';
import type { SettingsByType } from '../../generated/settings-by-type.js';
import type { PluginComponent } from '../plugins/load-plugins.js';
import type { CommandOutput } from './command-line.js';
import { type ConfigOptions, printProblems, readSources } from './load-settings.js';

/** Options of `faultline components`. */
export interface ComponentsOptions extends ConfigOptions, CommandOutput {
  readonly version: string;
  /** Whether to list the settings of each component. */
  readonly settings: boolean;
  /** Markdown is the reference of all settings. */
  readonly format: 'yaml' | 'json' | 'markdown';
}

/** `Stable`: settings and output stay compatible. `Beta`: settings may change, noted in the change log. `Alpha`: anything may change. */
type Stability = 'Stable' | 'Beta' | 'Alpha';
/** Stability by signal; `events` where OpenTelemetry has no signal of its own. */
const COMPONENT_STABILITY: Readonly<Record<keyof SettingsByType, Readonly<Record<string, Stability>>>> = {
  events: { events: 'Stable' },
  otlp: { logs: 'Beta', traces: 'Beta' },
  sentry: { events: 'Beta' },
  file_log: { logs: 'Beta' },
  nats: { events: 'Alpha' },
  memory_limiter: { events: 'Alpha' },
  filter: { events: 'Alpha' },
  attributes: { events: 'Alpha' },
  redaction: { events: 'Alpha' },
  rate_limit: { events: 'Alpha' },
  sample: { events: 'Alpha' },
  store: { events: 'Stable' },
  otlp_http: { logs: 'Alpha' },
  webhook: { events: 'Alpha' },
  debug: { events: 'Alpha' },
  query: { extension: 'Beta' },
  health_check: { extension: 'Alpha' },
  bearertokenauth: { extension: 'Alpha' },
  pprof: { extension: 'Alpha' },
  mcp: { extension: 'Alpha' },
};

/** Prints the components, also of plugins, as the OpenTelemetry Collector's `components` does. Exit code 1 if plugins cannot be loaded. */
export async function runComponents(options: ComponentsOptions): Promise<number> {
  const { version, settings, format, stdout, stderr } = options;
  const sources = await readSources(options).catch((error: unknown) => {
    if (!(error instanceof ConfigError)) throw error;
    printProblems(stderr, error.problems.map(formatProblem), error.warnings);
  });
  if (sources === undefined) return 1;
  if (sources.pluginProblems.length > 0) {
    printProblems(stderr, sources.pluginProblems.map(formatProblem), []);
    return 1;
  }
  const schema = sources.extended?.schema ?? loadConfigSchema();
  if (format === 'markdown') {
    stdout.write(`${settingsMarkdown(schema)}\n`);
    return 0;
  }
  const buildinfo = { command: 'faultline', description: 'Faultline, a failure event collector', version };
  const sections = COMPONENT_SECTIONS.map((section) => [
    section,
    componentsIn(schema, section, settings, sources.plugins),
  ]);
  const value = { buildinfo, ...Object.fromEntries(sections) };
  stdout.write(format === 'json' ? `${JSON.stringify(value, undefined, 2)}\n` : stringify(value, { lineWidth: 0 }));
  return 0;
}

function componentsIn(
  schema: SchemaNode,
  section: ComponentSection,
  withSettings: boolean,
  plugins: readonly PluginComponent[],
) {
  return describeSection(schema, section).map((part) => ({
    name: part.type,
    ...originOf(
      section,
      part.type ?? '',
      plugins.find((one) => one.section === section && one.type === part.type),
    ),
    ...(withSettings && { description: part.description, settings: part.rows.map(settingOf) }),
  }));
}

function originOf(section: ComponentSection, type: string, plugin: PluginComponent | undefined) {
  if (plugin === undefined)
    return { stability: Object.entries(COMPONENT_STABILITY).find(([one]) => one === type)?.[1] };
  const { origin, version, stability } = plugin;
  const level = `${stability.charAt(0).toUpperCase()}${stability.slice(1)}`;
  return { plugin: origin, version, stability: { [section === 'extensions' ? 'extension' : 'events']: level } };
}

function settingOf({ key, type, description, bounds, isRequired, isSecret, ...row }: SettingsTable['rows'][number]) {
  return {
    key,
    type,
    ...('default' in row && { default: row.default }),
    ...(bounds !== undefined && { bounds }),
    ...(isRequired && { required: true }),
    ...(isSecret && { secret: true }),
    description,
  };
}
