import { type ConfigNode, createMap, type Place } from './config-node.js';
import { type ConfigTree, readValueTree } from './config-tree.js';
import { quoted } from './printable.js';
import type { Environment, ReadReferencedFile } from './substitute.js';

const MAX_PARTS = 64;

/** How problems name a `--set`. */
export function sourceOfSet(option: string): string {
  return `--set ${option}`;
}

/**
 * The tree that a `--set` stands for: `a.b.c=v`, or `a::b::c=v` where a component's name has a dot. The value is YAML, and a string
 * where it is not. Its source is the option as it was given.
 */
export function readSetTree(option: string, env: Environment, readFile?: ReadReferencedFile): ConfigTree {
  const at: Place = { source: sourceOfSet(option) };
  const equals = option.indexOf('=');
  const key = equals === -1 ? option : option.slice(0, equals);
  const path = key.split(key.includes('::') ? '::' : '.');
  if (equals === -1 || path.includes('') || path.length > MAX_PARTS) {
    const message = `expected a dotted key and a value, as in service.telemetry.logs.level=debug, found ${quoted(option)}`;
    return { root: undefined, problems: [{ ...at, key: '', message }], warnings: [] };
  }
  const tree = readValueTree(option.slice(equals + 1), at, path, env, readFile);
  return tree.root === undefined ? tree : { ...tree, root: wrapped(tree.root, path, at) };
}

function wrapped(value: ConfigNode, path: readonly string[], at: Place): ConfigNode {
  return path.reduceRight<ConfigNode>(
    (node, key) => createMap(at, new Map([[key, { keyAt: at, value: node }]])),
    value,
  );
}
