import { type SchemaNode, schemaOfItem, schemaOfKey } from './config-schema.js';
import type { KeyPath } from './key-path.js';

/** Whether a setting is a secret by its schema, or a list or map of secrets: what was written there is never repeated. */
export function holdsSecrets(schema: unknown): boolean {
  if (!isMap(schema)) return false;
  const { writeOnly, items, properties, patternProperties } = schema;
  return writeOnly === true || [items, ...valuesOf(properties), ...valuesOf(patternProperties)].some(holdsSecrets);
}

/** Whether a secret stands at a path, or something that holds secrets; false for a path that the schema does not know. */
export function isSecretPath(root: SchemaNode, path: KeyPath): boolean {
  let schema: SchemaNode | undefined = root;
  for (const part of path) {
    if (schema === undefined) return false;
    schema = typeof part === 'number' ? schemaOfItem(root, schema) : schemaOfKey(root, schema, part);
  }
  return holdsSecrets(schema);
}

function valuesOf(value: unknown): unknown[] {
  return isMap(value) ? Object.values(value) : [];
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
