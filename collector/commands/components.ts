import { stringify } from 'yaml';
import { type ComponentSection, loadConfigSchema, type SchemaNode } from '../../config/check/config-schema.js';
import { describeSection, type SettingsTable } from '../../config/settings-reference.js';
import type { SettingsByType } from '../../generated/settings-by-type.js';
import type { TextSink } from './command-line.js';

/** Options of `faultline components`. */
export interface ComponentsOptions {
  readonly version: string;
  /** Whether to list the settings of each component. */
  readonly settings: boolean;
  readonly json: boolean;
  readonly stdout: TextSink;
}

const SECTIONS: readonly ComponentSection[] = ['receivers', 'processors', 'exporters', 'extensions'];

/**
 * Levels of the OpenTelemetry Collector. `Stable`: settings and output stay compatible. `Beta`: settings may change, noted in the change log.
 * `Alpha`: may change in any version.
 */
type Stability = 'Stable' | 'Beta' | 'Alpha';
/** Stability by signal; `events` where OpenTelemetry has no signal of its own. */
const COMPONENT_STABILITY: Readonly<Record<keyof SettingsByType, Readonly<Record<string, Stability>>>> = {
  events: { events: 'Stable' },
  otlp: { logs: 'Beta', traces: 'Beta' },
  sentry: { events: 'Beta' },
  file_log: { logs: 'Beta' },
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
};

/** Prints the components in the format of the OpenTelemetry Collector's `components`. Exit code 0. */
export function runComponents({ version, settings, json, stdout }: ComponentsOptions): number {
  const schema = loadConfigSchema();
  const buildinfo = { command: 'faultline', description: 'Faultline, a failure event collector', version };
  const sections = SECTIONS.map((section) => [section, componentsIn(schema, section, settings)]);
  const value = { buildinfo, ...Object.fromEntries(sections) };
  stdout.write(json ? `${JSON.stringify(value, undefined, 2)}\n` : stringify(value, { lineWidth: 0 }));
  return 0;
}

function componentsIn(schema: SchemaNode, section: ComponentSection, withSettings: boolean) {
  return describeSection(schema, section).map((part) => ({
    name: part.type,
    stability: Object.entries(COMPONENT_STABILITY).find(([type]) => type === part.type)?.[1],
    ...(withSettings && { description: part.description, settings: part.rows.map(settingOf) }),
  }));
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
