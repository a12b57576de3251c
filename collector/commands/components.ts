import { stringify } from 'yaml';
import { COMPONENT_SECTIONS, type ComponentSection, type SchemaNode } from '../../config/check/config-schema.js';
import { ConfigError, formatProblem } from '../../config/config-error.js';
import { loadConfigSchema } from '../../config/default-config.js';
import { settingsMarkdown } from '../../config/settings-markdown.js';
import { describeSection, type SettingsTable } from '../../config/settings-reference.js';
import type { Factories } from '../component/built-in.js';
import type { PluginComponent } from '../plugins/load-plugins.js';
import { BUILT_INS } from '../service/built-in-components.js';
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
  return describeSection(schema, section).map(({ type = '', description, rows }) => ({
    name: type,
    ...originOf(
      section,
      type,
      plugins.find((plugin) => plugin.section === section && plugin.type === type),
    ),
    ...(withSettings && { description, settings: rows.map(settingOf) }),
  }));
}

/** Stability by signal, as the Collector prints it; `events` where OpenTelemetry has no signal of its own. */
function originOf(section: ComponentSection, type: string, plugin: PluginComponent | undefined) {
  const signals: readonly string[] = section === 'extensions' ? ['extension'] : ['events'];
  if (plugin !== undefined) {
    const { origin, version, stability } = plugin;
    return { plugin: origin, version, stability: stabilityOf(stability, signals) };
  }
  const factories: Factories[ComponentSection] = BUILT_INS[section];
  const factory = factories[type];
  return { stability: factory && stabilityOf(factory.stability, factory.signals ?? signals) };
}

function stabilityOf(stability: PluginComponent['stability'], signals: readonly string[]): Record<string, string> {
  const level = `${stability.charAt(0).toUpperCase()}${stability.slice(1)}`;
  return Object.fromEntries(signals.map((signal) => [signal, level]));
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
