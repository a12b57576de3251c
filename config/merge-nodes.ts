import { type ConfigProblem, formatPlace } from './config-error.js';
import { type ConfigNode, createMap, type MapEntry } from './config-node.js';
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
      const message = `is empty, which takes away what stands at ${formatPlace(earlier.at)}`;
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
