import {
  allowsType,
  COMPONENT_SECTIONS,
  type ComponentSection,
  resolveRef,
  type SchemaNode,
} from './check/config-schema.js';

/** A row of the settings reference. */
export interface SettingRow {
  /** Dotted, below the component; `<name>` is a key that the operator chooses, `[]` an item of a list. */
  readonly key: string;
  /** In words: `duration`, `list of string`, `one of a, b`. */
  readonly type: string;
  readonly default?: unknown;
  /** Limits of the value, in words. */
  readonly bounds?: string;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  readonly description: string;
  /** Definition that is listed separately with the settings below this one; absent if they follow here. */
  readonly part?: string;
}

/** The settings of a component, section or shared definition. */
export interface SettingsTable {
  /** Section of the configuration, for example `receivers`. */
  readonly section: string;
  /** Type of the component; absent if it is not one. */
  readonly type?: string;
  readonly description: string;
  readonly rows: readonly SettingRow[];
}

const FORMAT_NAMES: Readonly<Record<string, string>> = {
  'go-duration': 'duration',
  'byte-size': 'size',
  'host-port': 'endpoint',
  'host-name': 'host name',
  'file-path': 'path',
  'origin-pattern': 'origin',
  'header-name': 'header name',
  'url-path': 'URL path',
  'path-prefix': 'URL path',
  'http-url': 'URL',
  'nats-url': 'URL',
};

/** All components of a section in the order of the schema; the settings of `shared` definitions are left out. */
export function describeSection(
  root: SchemaNode,
  section: ComponentSection,
  shared: ReadonlySet<string> = new Set(),
): SettingsTable[] {
  const components = resolveRef(root, root.properties?.[section] ?? {}).patternProperties ?? {};
  return Object.entries(components).map(([pattern, schema]) => {
    const type = /^\^(\w+)/.exec(pattern)?.[1] ?? pattern;
    return { ...tableOf(root, section, schema, shared), type };
  });
}

function tableOf(root: SchemaNode, section: string, schema: SchemaNode, shared: ReadonlySet<string>): SettingsTable {
  const definition = resolveRef(root, schema);
  return { section, description: definition.description ?? '', rows: rowsOf(root, definition, shared) };
}

/** All settings of a schema. */
interface SettingsTables {
  readonly components: readonly SettingsTable[];
  /** Of other sections than those of components. */
  readonly sections: readonly SettingsTable[];
  /** By name, the definitions that several components and sections share. */
  readonly parts: ReadonlyMap<string, SettingsTable>;
}

/** Describes all settings of a schema. */
export function describeSettings(root: SchemaNode): SettingsTables {
  const shared = sharedDefinitions(root);
  const others = Object.entries(root.properties ?? {}).filter(
    ([key]) => !COMPONENT_SECTIONS.some((section) => section === key),
  );
  return {
    components: COMPONENT_SECTIONS.flatMap((section) => describeSection(root, section, shared)),
    sections: others.map(([section, schema]) => tableOf(root, section, schema, shared)),
    parts: new Map([...shared].map((name) => [name, tableOf(root, name, root.$defs?.[name] ?? {}, shared)])),
  };
}

function sharedDefinitions(root: SchemaNode): Set<string> {
  const counts = new Map<string, number>();
  const count = (schema: SchemaNode): void => {
    const name = definitionOf(schema);
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
    for (const below of schemasBelow(schema)) count(below);
  };
  count(root);
  for (const schema of Object.values(root.$defs ?? {})) count(schema);
  return new Set([...counts].flatMap(([name, times]) => (times > 1 ? [name] : [])));
}

function schemasBelow({ properties = {}, patternProperties = {}, items }: SchemaNode): SchemaNode[] {
  return [...Object.values(properties), ...Object.values(patternProperties), ...(items === undefined ? [] : [items])];
}

function definitionOf({ $ref }: SchemaNode): string | undefined {
  return $ref?.replace('#/$defs/', '');
}

function rowsOf(root: SchemaNode, map: SchemaNode, shared: ReadonlySet<string>, prefix = ''): SettingRow[] {
  const named = Object.entries(map.properties ?? {}).flatMap(([key, schema]) =>
    rowsOfKey(root, schema, shared, `${prefix}${key}`, map.required?.includes(key) === true),
  );
  const free = Object.values(map.patternProperties ?? {}).flatMap((schema) =>
    rowsOfKey(root, schema, shared, `${prefix}<name>`, false),
  );
  return [...named, ...free];
}

function rowsOfKey(
  root: SchemaNode,
  written: SchemaNode,
  shared: ReadonlySet<string>,
  key: string,
  isRequired: boolean,
): SettingRow[] {
  const schema = resolveRef(root, written);
  const item = schema.items === undefined ? undefined : resolveRef(root, schema.items);
  const part = [written, schema.items ?? {}].map(definitionOf).find((name) => name !== undefined && shared.has(name));
  const bounds = boundsOf(schema, item);
  const row: SettingRow = {
    key,
    type: typeOf(schema, item),
    ...('default' in written && { default: written.default }),
    ...(bounds !== undefined && { bounds }),
    isRequired,
    isSecret: schema.writeOnly === true || item?.writeOnly === true,
    description: written.description ?? schema.description ?? '',
    ...(part !== undefined && { part }),
  };
  if (part !== undefined) return [row];
  const below = item === undefined ? rowsOf(root, schema, shared, `${key}.`) : rowsOf(root, item, shared, `${key}[].`);
  return [row, ...below];
}

function typeOf(schema: SchemaNode, item: SchemaNode | undefined): string {
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`;
  if (schema.format !== undefined) return FORMAT_NAMES[schema.format] ?? schema.format;
  if (item !== undefined) return `list of ${typeOf(item, item.items)}`;
  if (allowsType(schema, 'object')) return 'map';
  return String(Array.isArray(schema.type) ? schema.type[0] : schema.type);
}

function boundsOf(schema: SchemaNode, item: SchemaNode | undefined): string | undefined {
  const { minimum, maximum, formatMinimum, formatMaximum, minLength, maxLength, minItems, maxItems } = schema;
  const ofItem = item === undefined || item.properties !== undefined ? undefined : boundsOf(item, undefined);
  const texts = [
    rangeOf(minimum ?? formatMinimum, maximum ?? formatMaximum, ''),
    minLength === 1 && maxLength === undefined ? 'not empty' : rangeOf(minLength, maxLength, ' characters'),
    minItems === 1 && maxItems === undefined ? 'not empty' : rangeOf(minItems, maxItems, ' items'),
    schema.pattern === undefined ? undefined : `matches \`${schema.pattern}\``,
    ofItem && `each ${ofItem}`,
  ].filter((text) => text !== undefined);
  return texts.length === 0 ? undefined : texts.join('; ');
}

function rangeOf(
  least: string | number | undefined,
  most: string | number | undefined,
  unit: string,
): string | undefined {
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`;
  if (least !== undefined) return `at least ${least}${unit}`;
  return most === undefined ? undefined : `at most ${most}${unit}`;
}
