import type { ConfigProblem } from './config-error.js';
import { type ConfigNode, createMap, type MapNode } from './config-node.js';
import type { KeyPath } from './key-path.js';
import { mergeNodes } from './merge-nodes.js';

const MAX_PARTS = 64;

/** The keys that a key at the top stands for: `exporters::store::durability` is three, as in the OpenTelemetry Collector. */
export function unfoldedKey(key: string): KeyPath {
  const parts = key.split('::');
  return parts.includes('') || parts.length > MAX_PARTS ? [key] : parts;
}

/** A configuration whose keys of several parts stand below one another; later ones are merged over earlier ones. */
export function unfoldKeys(root: MapNode, warnings: ConfigProblem[]): ConfigNode {
  if (![...root.entries.keys()].some((key) => key.includes('::'))) return root;
  let unfolded: ConfigNode = createMap(root.at, new Map());
  for (const [key, { keyAt, value }] of root.entries) {
    const one = unfoldedKey(key).reduceRight<ConfigNode>((below, part) => {
      return createMap(keyAt, new Map([[String(part), { keyAt, value: below }]]));
    }, value);
    unfolded = mergeNodes(unfolded, one, warnings);
  }
  return unfolded;
}
