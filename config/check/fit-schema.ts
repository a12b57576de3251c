import { type ConfigNode, createList, createMap, createScalar, type MapEntry } from '../yaml/config-node.js';
import { allowsType, type SchemaNode, schemaOfItem, schemaOfKey } from './config-schema.js';

/** Converts values to the types of the schema: empty sections to maps or lists, substituted values, sizes and durations to text. */
export function coerceToSchema(node: ConfigNode, root: SchemaNode, schema: SchemaNode = root): ConfigNode {
  if (node.reported) return node;
  if (node.kind === 'scalar' && node.value === null && allowsType(schema, 'null')) {
    return allowsType(schema, 'object') ? createMap(node.at, new Map()) : createList(node.at, []);
  }
  const text = expectedText(node, schema);
  if (text !== undefined) return createScalar(node.at, text);
  if (node.kind === 'list') {
    const item = schemaOfItem(root, schema);
    return item === undefined
      ? node
      : createList(
          node.at,
          node.items.map((value) => coerceToSchema(value, root, item)),
        );
  }
  if (node.kind !== 'map') return node;
  const entries = new Map<string, MapEntry>();
  for (const [key, { keyAt, value }] of node.entries) {
    const below = schemaOfKey(root, schema, key);
    entries.set(key, { keyAt, value: below === undefined ? value : coerceToSchema(value, root, below) });
  }
  return createMap(node.at, entries);
}

function expectedText(node: ConfigNode, schema: SchemaNode): string | undefined {
  if (!allowsType(schema, 'string')) return undefined;
  if (node.substituted !== undefined) return node.substituted;
  return node.kind === 'scalar' && typeof node.value === 'number' && allowsType(schema, 'integer')
    ? node.text
    : undefined;
}
