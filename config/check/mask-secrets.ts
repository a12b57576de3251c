import type { KeyPath } from '../yaml/config-node.js';
import { allowsType, type SchemaNode, schemaOfItem, schemaOfKey } from './config-schema.js';

/** As in the OpenTelemetry Collector. */
const REDACTED = '[REDACTED]';

/** Copies settings with `[REDACTED]` for secrets (`writeOnly`) and the queries of URLs; of a secret URL only the origin stays. */
export function maskSecrets(value: unknown, root: SchemaNode, schema: SchemaNode = root): unknown {
  if (schema.writeOnly === true) return masked(value, schema);
  if (schema.format === 'http-url') return maskQuery(String(value));
  if (Array.isArray(value)) {
    const item = schemaOfItem(root, schema);
    return item === undefined ? value : value.map((element) => maskSecrets(element, root, item));
  }
  if (typeof value !== 'object' || value === null || !allowsType(schema, 'object')) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const below = schemaOfKey(root, schema, key);
      return [key, below === undefined ? member : maskSecrets(member, root, below)];
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

/** Whether a setting is a secret or can contain one, so that messages must not repeat its value. */
export function hasSecrets(schema: unknown): boolean {
  if (!isMap(schema)) return false;
  const { writeOnly, items, properties, patternProperties } = schema;
  return writeOnly === true || [items, ...valuesOf(properties), ...valuesOf(patternProperties)].some(hasSecrets);
}

/** Like `hasSecrets`, for a path; false if the schema does not have the path. */
export function isSecretPath(root: SchemaNode, path: KeyPath): boolean {
  let schema: SchemaNode | undefined = root;
  for (const key of path) {
    if (schema === undefined) return false;
    schema = typeof key === 'number' ? schemaOfItem(root, schema) : schemaOfKey(root, schema, key);
  }
  return hasSecrets(schema);
}

function valuesOf(value: unknown): unknown[] {
  return isMap(value) ? Object.values(value) : [];
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
