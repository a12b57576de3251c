import { readFileSync } from 'node:fs';

/** The part of JSON Schema 2020-12 that schema.json is written in. */
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
  /** True for a secret, which is taken and never shown. */
  writeOnly?: boolean;
}

/** The schema of the whole configuration: `schema.json` beside this module, in the source and in the build. */
export function readConfigSchema(): SchemaNode {
  return JSON.parse(readFileSync(new URL('../schema.json', import.meta.url), 'utf8'));
}

/** The schema of one key of a map; undefined when the schema does not know the key. */
export function schemaOfKey(root: SchemaNode, map: SchemaNode, key: string): SchemaNode | undefined {
  const property = own(map.properties, key);
  if (property !== undefined) return resolveRef(root, property);
  for (const [pattern, schema] of Object.entries(map.patternProperties ?? {})) {
    if (new RegExp(pattern, 'u').test(key)) return resolveRef(root, schema);
  }
  return undefined;
}

/** The schema of every item of a list; undefined when the schema describes no list. */
export function schemaOfItem(root: SchemaNode, list: SchemaNode): SchemaNode | undefined {
  return list.items === undefined ? undefined : resolveRef(root, list.items);
}

/** Whether the schema lets a value of this JSON type stand there. */
export function allowsType(schema: SchemaNode, type: string): boolean {
  return Array.isArray(schema.type) ? schema.type.includes(type) : schema.type === type;
}

/** The schema itself, or the one that it refers to. */
export function resolveRef(root: SchemaNode, schema: SchemaNode): SchemaNode {
  if (schema.$ref === undefined) return schema;
  const target = own(root.$defs, schema.$ref.replace('#/$defs/', ''));
  if (target === undefined) throw new Error(`schema.json refers to ${schema.$ref}, which it does not define`);
  return target;
}

function own<T>(map: Record<string, T> | undefined, key: string): T | undefined {
  return map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined;
}
