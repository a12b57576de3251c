import type { KeyPath } from '../yaml/key-path.js';
import { type SchemaNode, schemaOfItem, schemaOfKey } from './config-schema.js';

/** One value of loaded settings and what the schema says of it. */
export interface SettingAt {
  readonly path: KeyPath;
  readonly value: unknown;
  readonly schema: SchemaNode;
  /** The map in which it stands, by key; empty for an item of a list. */
  readonly siblings: Readonly<Record<string, unknown>>;
}

/** Every value below `value`, maps and lists included, as far as the schema knows it; `root` is the schema with the definitions. */
export function* settingsUnder(
  value: unknown,
  schema: SchemaNode,
  root: SchemaNode,
  path: KeyPath = [],
): Generator<SettingAt> {
  if (Array.isArray(value)) {
    const item = schemaOfItem(root, schema);
    if (item === undefined) return;
    for (const [index, one] of value.entries()) {
      yield { path: [...path, index], value: one, schema: item, siblings: {} };
      yield* settingsUnder(one, item, root, [...path, index]);
    }
  } else if (isMap(value)) {
    for (const [key, one] of Object.entries(value)) {
      const below = schemaOfKey(root, schema, key);
      if (below === undefined) continue;
      yield { path: [...path, key], value: one, schema: below, siblings: value };
      yield* settingsUnder(one, below, root, [...path, key]);
    }
  }
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
