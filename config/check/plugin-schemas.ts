import { dirname, resolve } from 'node:path';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { Settings } from '../../generated/settings.js';
import { loadConfigSchema } from '../default-config.js';
import { compareByFormat, FORMAT_CHECKS } from '../values/value-formats.js';
import { type ConfigNode, dottedKey, entryOf, type SourcePosition } from '../yaml/config-node.js';
import { type ComponentSection, type SchemaNode, schemaOfKey } from './config-schema.js';
import type { SettingsCheck } from './settings-validator.js';

/** A plugin that a configuration names. */
export interface NamedPlugin {
  readonly name: string;
  /** Absolute path of the folder of the file that names it; else the working directory. */
  readonly folder: string;
  readonly at: SourcePosition;
  readonly key: string;
}

/** The settings of a type of component that a plugin adds. */
export interface PluginSchema {
  readonly section: ComponentSection;
  readonly type: string;
  /** One line. */
  readonly description: string;
  /** JSON Schema of a map, without references. */
  readonly schema: object;
}

/** A schema of the whole configuration, and its check. */
export interface ExtendedSchema {
  readonly schema: SchemaNode;
  readonly check: SettingsCheck;
}

/** Settings of every component of a plugin. */
const ADDED: SchemaNode['properties'] = {
  error_mode: {
    description:
      'What happens if the plugin throws. `propagate`: a batch is refused, so that its sender or the exporter sends it again, and a component that does not start ends the start. `ignore`: events go on unchanged, or are not exported, and the collector starts without the component. Each failure is counted. Default `propagate`.',
    type: 'string',
    enum: ['propagate', 'ignore'],
    default: 'propagate',
  },
  timeout: {
    description: 'How long the plugin may hold a batch, which is then refused or exported again. Default `5s`.',
    type: ['string', 'integer'],
    format: 'go-duration',
    formatMinimum: '1ms',
    formatMaximum: '1h',
    default: '5s',
  },
};

/** The same by section. */
const ADDED_TO: Partial<Record<ComponentSection, SchemaNode['properties']>> = {
  receivers: { limits: { $ref: '#/$defs/EventLimits', default: {} } },
  exporters: {
    sending_queue: { $ref: '#/$defs/QueueSettings', default: {} },
    retry_on_failure: { $ref: '#/$defs/RetrySettings', default: {} },
  },
};

const NAME_PATTERN = '(/[^\\p{Z}\\p{C}\\p{S}]{1,1024})?$';

/** Returns the plugins that a configuration names; values of a wrong type are skipped. */
export function namedPlugins(root: ConfigNode | undefined): NamedPlugin[] {
  const list = root && entryOf(root, 'plugins')?.value;
  if (list?.kind !== 'list') return [];
  return list.items.flatMap((item, index) => {
    if (item.kind !== 'scalar' || typeof item.value !== 'string' || item.value === '') return [];
    const isInFile = item.at.line !== undefined && !/^(?:--|env:)/.test(item.at.source);
    const folder = resolve(isInFile ? dirname(item.at.source) : '.');
    return [{ name: item.value, folder, at: item.at, key: dottedKey(['plugins', index]) }];
  });
}

/** Adds types of components to schema.json. Their schemas were checked by `checkSchema`. */
export async function extendSchema(plugins: readonly PluginSchema[]): Promise<ExtendedSchema> {
  const schema = loadConfigSchema();
  for (const plugin of plugins) {
    const settings = closed(plugin);
    settings.properties = { ...settings.properties, ...ADDED_TO[plugin.section], ...ADDED };
    patternsOf(schema, plugin)[`^${plugin.type}${NAME_PATTERN}`] = settings;
  }
  return { schema, check: (await createAjv()).compile<Settings>(schema) };
}

/** Returns the check of a plugin's own settings. Throws an Error that says why it cannot add this type with this schema. */
export async function checkSchema(plugin: PluginSchema): Promise<ValidateFunction> {
  const patterns = Object.keys(patternsOf(loadConfigSchema(), plugin));
  if (patterns.some((pattern) => pattern.startsWith(`^${plugin.type}(`))) throw new Error('Faultline has this type');
  return (await createAjv()).compile(closed(plugin));
}

function patternsOf(root: SchemaNode, { section }: PluginSchema): Record<string, SchemaNode> {
  return schemaOfKey(root, root, section)?.patternProperties ?? {};
}

/** The schema with its description; an empty map is null in YAML. */
function closed({ schema, description }: PluginSchema): SchemaNode {
  const settings: SchemaNode = closeMaps(structuredClone(schema));
  if (settings.type !== 'object') throw new Error('its type must be object');
  return { description, ...settings, type: ['object', 'null'] };
}

/** Refuses keys that a schema does not list, unless it says otherwise. Throws for references. */
function closeMaps(schema: SchemaNode & { additionalProperties?: unknown }): SchemaNode {
  if (schema.$ref !== undefined) throw new Error('$ref is not supported');
  if (schema.type === 'object') schema.additionalProperties ??= false;
  const { properties = {}, patternProperties = {}, items } = schema;
  for (const below of [...Object.values(properties), ...Object.values(patternProperties)]) closeMaps(below);
  if (items !== undefined) closeMaps(items);
  return schema;
}

/** The same options as for the generated check, which is compiled before the start. */
async function createAjv() {
  // A bundled CommonJS package has only the name `default`.
  const {
    default: { Ajv2020 },
  } = await import('ajv/dist/2020.js');
  const formats = Object.entries(FORMAT_CHECKS).map(([name, { validate }]) => [name, { type: 'string', validate }]);
  const ajv = new Ajv2020({
    allErrors: true,
    strict: true,
    allowUnionTypes: true,
    useDefaults: true,
    verbose: true,
    formats: Object.fromEntries(formats),
  });
  for (const [keyword, isWithin] of Object.entries(LIMITS)) {
    ajv.addKeyword({
      keyword,
      type: 'string',
      schemaType: 'string',
      compile:
        (limit: string, { format }) =>
        (text: string) =>
          isWithin(compareByFormat(format, text, limit) ?? 0),
    });
  }
  return ajv;
}

const LIMITS = { formatMinimum: (order: number) => order >= 0, formatMaximum: (order: number) => order <= 0 };
