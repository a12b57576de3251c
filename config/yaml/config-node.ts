import { quoted } from '../values/printable.js';

/** Where something was written: a file with line and column (one-based), or a `--set`. */
export interface SourcePosition {
  source: string;
  line?: number;
  column?: number;
}

interface NodeBase {
  /** Where the value begins. */
  at: SourcePosition;
  /** Values in this one and below, itself included; what an alias stands for counts at each use. */
  size: number;
  /** The text that a `${…}` gave, when the whole value came from one. */
  substituted?: string;
  /** True when a problem was already reported here, so that no later check reports its echo. */
  reported?: true;
}

export interface MapNode extends NodeBase {
  kind: 'map';
  /** In the order of the file. A Map, because keys come from outside and `__proto__` is one like any other. */
  entries: ReadonlyMap<string, MapEntry>;
}

export interface MapEntry {
  /** Where the key begins. */
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
  /** As it was written: `0x10` for 16. */
  text: string;
}

/** A configuration value that knows where it was written. Never changed once built: aliases share it. */
export type ConfigNode = MapNode | ListNode | ScalarNode;

/** A map with its size counted. */
export function createMap(at: SourcePosition, entries: ReadonlyMap<string, MapEntry>): MapNode {
  let size = 1;
  for (const { value } of entries.values()) size += value.size;
  return { kind: 'map', at, size, entries };
}

/** A list with its size counted. */
export function createList(at: SourcePosition, items: readonly ConfigNode[]): ListNode {
  return { kind: 'list', at, size: items.reduce((sum, item) => sum + item.size, 1), items };
}

/** A single value; `text` is how it was written, default the value itself. */
export function createScalar(at: SourcePosition, value: ScalarNode['value'], text = String(value ?? '')): ScalarNode {
  return { kind: 'scalar', at, size: 1, value, text };
}

/** The value under a key; undefined if the node is not a map or lacks the key. */
export function entryOf(node: ConfigNode | undefined, key: string): MapEntry | undefined {
  return node?.kind === 'map' ? node.entries.get(key) : undefined;
}

/** The plain value, as JSON.parse would give it: `__proto__` becomes an own property. */
export function plainValue(node: ConfigNode): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(plainValue);
  return Object.fromEntries([...node.entries].map(([key, { value }]) => [key, plainValue(value)]));
}

/** What stands there, in words for people: `the number 5`, `a list`, `nothing`. */
export function describeNode(node: ConfigNode): string {
  if (node.kind !== 'scalar') return `a ${node.kind}`;
  if (node.value === null) return 'nothing';
  return typeof node.value === 'string' ? quoted(node.value) : `the ${typeof node.value} ${node.text}`;
}
