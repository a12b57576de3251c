import { type ConfigNode, createMap, type Place } from './config-node.js';
import { type ConfigTree, readValueTree, type TreeOptions } from './config-tree.js';
import { quoted } from './printable.js';
import type { Environment } from './substitute.js';

const MAX_PARTS = 64;

/** Up to the value, which may be a secret; two colons part keys, one colon does not. */
const KEY = /^(?:[^=:\s]|::)*/;

/** How problems name a `--set`: by its key alone, because the value may be a secret. */
export function sourceOfSet(option: string): string {
  return `--set ${KEY.exec(option)?.[0] ?? ''}`;
}

/**
 * The tree that a `--set` stands for: `a.b.c=v`, or `a::b::c=v` where a component's name has a dot. The value is YAML, and a string
 * where it is not. Its source is the option without its value.
 */
export function readSetTree(option: string, env: Environment, options?: TreeOptions): ConfigTree {
  const at: Place = { source: sourceOfSet(option) };
  const equals = option.indexOf('=');
  const key = equals === -1 ? option : option.slice(0, equals);
  const path = key.split(key.includes('::') ? '::' : '.');
  if (equals === -1 || path.includes('') || path.length > MAX_PARTS) {
    const found = equals === -1 ? 'no equals sign' : quoted(`${KEY.exec(key)?.[0]}=…`);
    const message = `expected a dotted key and a value, as in service.telemetry.logs.level=debug, found ${found}`;
    return { root: undefined, problems: [{ ...at, key: '', message }], warnings: [] };
  }
  const tree = readValueTree(option.slice(equals + 1), at, path, env, options);
  return tree.root === undefined ? tree : { ...tree, root: wrapped(tree.root, path, at) };
}

function wrapped(value: ConfigNode, path: readonly string[], at: Place): ConfigNode {
  return path.reduceRight<ConfigNode>(
    (node, key) => createMap(at, new Map([[key, { keyAt: at, value: node }]])),
    value,
  );
}
