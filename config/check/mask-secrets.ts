import type { KeyPath } from '../yaml/key-path.js';
import { allowsType, type SchemaNode, schemaOfItem, schemaOfKey } from './config-schema.js';

/** What is shown in place of a secret, as the OpenTelemetry Collector shows it. */
const REDACTED = '[REDACTED]';

/**
 * A copy of settings in which every value that the schema marks as secret (`writeOnly`) is `[REDACTED]`, wherever it came from; an address keeps
 * its scheme, host and port. Of every other address the query is masked, where keys are often written.
 */
export function maskSecrets(value: unknown, root: SchemaNode, schema: SchemaNode = root): unknown {
  if (schema.writeOnly === true) return masked(value, schema);
  if (schema.format === 'http-url') return maskQuery(String(value));
  if (Array.isArray(value)) {
    const item = schemaOfItem(root, schema);
    return item === undefined ? value : value.map((one) => maskSecrets(one, root, item));
  }
  if (typeof value !== 'object' || value === null || !allowsType(schema, 'object')) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      const below = schemaOfKey(root, schema, key);
      return [key, below === undefined ? one : maskSecrets(one, root, below)];
    }),
  );
}

function masked(value: unknown, { format }: SchemaNode): string {
  if (format !== 'http-url' || !URL.canParse(String(value))) return REDACTED;
  return `${new URL(String(value)).origin}/${REDACTED}`;
}

function maskQuery(address: string): string {
  const begin = address.indexOf('?');
  return begin === -1 ? address : `${address.slice(0, begin)}?${REDACTED}`;
}

/** Whether a setting is a secret by its schema, or a list or map of secrets: what was written there is never repeated. */
export function hasSecrets(schema: unknown): boolean {
  if (!isMap(schema)) return false;
  const { writeOnly, items, properties, patternProperties } = schema;
  return writeOnly === true || [items, ...valuesOf(properties), ...valuesOf(patternProperties)].some(hasSecrets);
}

/** Whether a secret stands at a path, or something that holds secrets; false for a path that the schema does not know. */
export function isSecretPath(root: SchemaNode, path: KeyPath): boolean {
  let schema: SchemaNode | undefined = root;
  for (const part of path) {
    if (schema === undefined) return false;
    schema = typeof part === 'number' ? schemaOfItem(root, schema) : schemaOfKey(root, schema, part);
  }
  return hasSecrets(schema);
}

function valuesOf(value: unknown): unknown[] {
  return isMap(value) ? Object.values(value) : [];
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
