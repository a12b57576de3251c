import { compilePattern } from './compile-pattern.js';

/** Sections whose keys are component ids. */
export const COMPONENT_SECTIONS = ['receivers', 'processors', 'exporters', 'extensions'] as const;

export type ComponentSection = (typeof COMPONENT_SECTIONS)[number];

/** The subset of JSON Schema 2020-12 that schema.json uses. */
export interface SchemaNode {
  $ref?: string;
  $defs?: Record<string, SchemaNode>;
  description?: string;
  type?: string | string[];
  properties?: Record<string, SchemaNode>;
  patternProperties?: Record<string, SchemaNode>;
  items?: SchemaNode;
  required?: string[];
  default?: unknown;
  enum?: unknown[];
  /** A format of `value-formats.ts`. */
  format?: string;
  minimum?: number;
  maximum?: number;
  formatMinimum?: string;
  formatMaximum?: string;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
  /** True for a secret. */
  writeOnly?: boolean;
}

/** The schema of a key of a map; undefined if the key is unknown. */
export function schemaOfKey(root: SchemaNode, map: SchemaNode, key: string): SchemaNode | undefined {
  const property = own(map.properties, key);
  if (property !== undefined) return resolveRef(root, property);
  for (const [pattern, schema] of Object.entries(map.patternProperties ?? {})) {
    if (compilePattern(pattern).test(key)) return resolveRef(root, schema);
  }
  return undefined;
}

/** The schema of the items of a list; undefined if it is not a list. */
export function schemaOfItem(root: SchemaNode, list: SchemaNode): SchemaNode | undefined {
  return list.items === undefined ? undefined : resolveRef(root, list.items);
}

/** Whether the schema allows this JSON type. */
export function allowsType(schema: SchemaNode, type: string): boolean {
  return Array.isArray(schema.type) ? schema.type.includes(type) : schema.type === type;
}

/** The schema, or the definition that its `$ref` names. */
export function resolveRef(root: SchemaNode, schema: SchemaNode): SchemaNode {
  if (schema.$ref === undefined) return schema;
  const target = own(root.$defs, schema.$ref.replace('#/$defs/', ''));
  if (target === undefined) throw new Error(`schema.json does not define ${schema.$ref}`);
  return target;
}

function own<T>(map: Record<string, T> | undefined, key: string): T | undefined {
  return map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined;
}
