import { type ConfigProblem, formatPosition } from '../config-error.js';
import {
  type ConfigNode,
  createMap,
  dottedKey,
  type KeyPath,
  type MapEntry,
  type MapNode,
  type SourcePosition,
} from './config-node.js';

/** Merges maps by key and replaces other values. Replacing a value by an empty one is often a mistake, so it adds to `warnings`. */
export function mergeNodes(
  earlier: ConfigNode,
  later: ConfigNode,
  warnings: ConfigProblem[],
  path: KeyPath = [],
): ConfigNode {
  if (earlier.kind !== 'map' || later.kind !== 'map') {
    if (later.kind === 'scalar' && later.value === null && earlier.size > 1) {
      const message = `is empty and replaces the value at ${formatPosition(earlier.at)}`;
      warnings.push({ ...later.at, key: dottedKey(path), message });
    }
    return later;
  }
  const entries = new Map<string, MapEntry>(earlier.entries);
  for (const [key, { keyAt, value }] of later.entries) {
    const before = earlier.entries.get(key);
    const merged = before === undefined ? value : mergeNodes(before.value, value, warnings, [...path, key]);
    entries.set(key, { keyAt: before?.keyAt ?? keyAt, value: merged });
  }
  return createMap(earlier.at, entries);
}

/** Limit of a key with separators. */
export const MAX_KEY_DEPTH = 64;

/** Splits a top-level key such as `exporters::store::durability`, as in the OpenTelemetry Collector. */
export function splitKey(key: string): KeyPath {
  const keys = key.split('::');
  return keys.includes('') || keys.length > MAX_KEY_DEPTH ? [key] : keys;
}

/** Replaces keys such as `a::b` by nested maps; later keys are merged over earlier ones. */
export function expandKeys(root: MapNode, warnings: ConfigProblem[]): ConfigNode {
  if (![...root.entries.keys()].some((key) => key.includes('::'))) return root;
  let expanded: ConfigNode = createMap(root.at, new Map());
  for (const [key, { keyAt, value }] of root.entries) {
    expanded = mergeNodes(expanded, nestUnder(splitKey(key), keyAt, value), warnings);
  }
  return expanded;
}

/** The value in nested maps whose keys all have the same position. */
export function nestUnder(path: KeyPath, keyAt: SourcePosition, value: ConfigNode): ConfigNode {
  return path.reduceRight<ConfigNode>(
    (node, key) => createMap(keyAt, new Map([[String(key), { keyAt, value: node }]])),
    value,
  );
}
