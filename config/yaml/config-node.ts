import { quoted } from '../values/printable.js';

/** Keys and list indexes from the root to a value. */
export type KeyPath = readonly (string | number)[];

/** A file with line and column (one-based), or a `--set`. */
export interface SourcePosition {
  source: string;
  line?: number;
  column?: number;
}

interface NodeBase {
  at: SourcePosition;
  /** Number of values in this one, including itself; each use of an alias counts. */
  size: number;
  /** Set if the whole value came from a `${…}`: the text of its replacement. */
  substituted?: string;
  /** Set if a problem of this value was reported, so that later checks skip it. */
  reported?: true;
}

export interface MapNode extends NodeBase {
  kind: 'map';
  /** In the order of the file. A Map, so that `__proto__` is an ordinary key. */
  entries: ReadonlyMap<string, MapEntry>;
}

export interface MapEntry {
  keyAt: SourcePosition;
  value: ConfigNode;
}

export interface ListNode extends NodeBase {
  kind: 'list';
  items: readonly ConfigNode[];
}

interface ScalarNode extends NodeBase {
  kind: 'scalar';
  value: string | number | boolean | null;
  /** As in the source: `0x10` for 16. */
  text: string;
}

/** A configuration value with its position. Immutable, because aliases share it. */
export type ConfigNode = MapNode | ListNode | ScalarNode;

export function createMap(at: SourcePosition, entries: ReadonlyMap<string, MapEntry>): MapNode {
  let size = 1;
  for (const { value } of entries.values()) size += value.size;
  return { kind: 'map', at, size, entries };
}

export function createList(at: SourcePosition, items: readonly ConfigNode[]): ListNode {
  return { kind: 'list', at, size: items.reduce((sum, item) => sum + item.size, 1), items };
}

export function createScalar(at: SourcePosition, value: ScalarNode['value'], text = String(value ?? '')): ScalarNode {
  return { kind: 'scalar', at, size: 1, value, text };
}

/** The value under a key; undefined if the node is not a map or lacks the key. */
export function entryOf(node: ConfigNode | undefined, key: string): MapEntry | undefined {
  return node?.kind === 'map' ? node.entries.get(key) : undefined;
}

/** A value, or the nearest one above it: what is not in the tree is a default. */
interface NearestNode {
  node: ConfigNode;
  /** The part of the path that is in the tree. */
  path: KeyPath;
  /** Undefined for the root and for an item of a list. */
  keyAt: SourcePosition | undefined;
}

/** Returns the value at a path, or the nearest one above it. */
export function nodeAt(root: ConfigNode, keys: KeyPath): NearestNode {
  let node = root;
  let keyAt: SourcePosition | undefined;
  const path: (string | number)[] = [];
  for (const key of keys) {
    const entry = entryOf(node, String(key));
    const next = node.kind === 'list' ? node.items[Number(key)] : entry?.value;
    if (next === undefined) break;
    path.push(node.kind === 'list' ? Number(key) : key);
    node = next;
    keyAt = entry?.keyAt;
  }
  return { node, path, keyAt };
}

/** The entries of a section; empty if it is missing or not a map. */
export function entriesOf(section: MapEntry | undefined): [string, MapEntry][] {
  return section?.value.kind === 'map' ? [...section.value.entries] : [];
}

/** The plain value, as from JSON.parse: `__proto__` becomes an own property. */
export function plainValue(node: ConfigNode): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(plainValue);
  return Object.fromEntries([...node.entries].map(([key, { value }]) => [key, plainValue(value)]));
}

/** The value in words: `the number 5`, `a list`, `nothing`. */
export function describeNode(node: ConfigNode): string {
  if (node.kind !== 'scalar') return `a ${node.kind}`;
  if (node.value === null) return 'nothing';
  return typeof node.value === 'string' ? quoted(node.value) : `the ${typeof node.value} ${node.text}`;
}

/** The path as text: `service.pipelines.events.receivers[0]`. */
export function dottedKey(path: KeyPath): string {
  return path.reduce<string>((dotted, key) => {
    if (typeof key === 'number') return `${dotted}[${key}]`;
    return dotted === '' ? key : `${dotted}.${key}`;
  }, '');
}
