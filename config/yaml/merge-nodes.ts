import { type ConfigProblem, formatPosition } from '../config-error.js';
import { type ConfigNode, createMap, type MapEntry, type MapNode, type SourcePosition } from './config-node.js';
import { dottedKey, type KeyPath } from './key-path.js';

/**
 * The later value over the earlier one: maps are joined key by key, everything else is replaced, also by nothing.
 * What nothing replaces is easily lost by mistake (the Collector's manual warns of it), so it adds to `warnings`.
 */
export function mergeNodes(
  earlier: ConfigNode,
  later: ConfigNode,
  warnings: ConfigProblem[],
  path: KeyPath = [],
): ConfigNode {
  if (earlier.kind !== 'map' || later.kind !== 'map') {
    if (later.kind === 'scalar' && later.value === null && earlier.size > 1) {
      const message = `is empty, which takes away what stands at ${formatPosition(earlier.at)}`;
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

/** Keys that one key of several parts may stand for. */
export const MAX_KEY_PARTS = 64;

/** The keys that a key at the top stands for: `exporters::store::durability` is three, as in the OpenTelemetry Collector. */
export function splitKey(key: string): KeyPath {
  const parts = key.split('::');
  return parts.includes('') || parts.length > MAX_KEY_PARTS ? [key] : parts;
}

/** A configuration whose keys of several parts stand below one another; later ones are merged over earlier ones. */
export function expandKeys(root: MapNode, warnings: ConfigProblem[]): ConfigNode {
  if (![...root.entries.keys()].some((key) => key.includes('::'))) return root;
  let unfolded: ConfigNode = createMap(root.at, new Map());
  for (const [key, { keyAt, value }] of root.entries) {
    unfolded = mergeNodes(unfolded, nestUnder(splitKey(key), keyAt, value), warnings);
  }
  return unfolded;
}

/** A value below keys that were all written at one place. */
export function nestUnder(path: KeyPath, keyAt: SourcePosition, value: ConfigNode): ConfigNode {
  return path.reduceRight<ConfigNode>(
    (node, key) => createMap(keyAt, new Map([[String(key), { keyAt, value: node }]])),
    value,
  );
}
