import { isJsonObject, type JsonObject, type JsonValue } from '../../core/event/json.js';

/** A value of a JSON document; its number is its index in document order. */
export interface TreeNode {
  /** -1 for members of the root. */
  readonly parent: number;
  readonly depth: number;
  /** Member name, or array index. */
  readonly key: string | number;
  readonly value: JsonValue;
  /** Number of the first node after its subtree. */
  end: number;
  /** The number of members; 0 for scalars. */
  readonly members: number;
}

/** The maximum number of values of a tree. */
export const MAX_NODES = 500_000;

/** An object or array whose members are being visited. */
interface OpenNode {
  readonly index: number;
  readonly keys: readonly string[] | undefined;
  readonly holder: JsonValue[] | JsonObject;
  next: number;
}

/** Lists the values of a document in order, keys sorted, without recursion. `isCut`: more than MAX_NODES. */
export function readNodes(root: JsonObject): { nodes: TreeNode[]; isCut: boolean } {
  const nodes: TreeNode[] = [];
  const open: OpenNode[] = [opened(-1, root)];
  let isCut = false;
  for (let inner = open.at(-1); inner !== undefined; inner = open.at(-1)) {
    const key = keyAt(inner);
    if (key === undefined || nodes.length >= MAX_NODES) {
      open.pop();
      isCut ||= key !== undefined;
      const node = nodes[inner.index];
      if (node !== undefined) node.end = nodes.length;
      continue;
    }
    inner.next += 1;
    const value = memberAt(inner.holder, key);
    const isHolder = typeof value === 'object' && value !== null;
    const index = nodes.length;
    const members = isHolder ? (Array.isArray(value) ? value.length : Object.keys(value).length) : 0;
    nodes.push({ parent: inner.index, depth: open.length - 1, key, value, end: index + 1, members });
    if (isHolder && members > 0) open.push(opened(index, value));
  }
  return { nodes, isCut };
}

function opened(index: number, holder: JsonValue[] | JsonObject): OpenNode {
  return { index, holder, keys: Array.isArray(holder) ? undefined : Object.keys(holder).sort(), next: 0 };
}

function keyAt({ keys, holder, next }: OpenNode): string | number | undefined {
  if (keys !== undefined) return keys[next];
  return Array.isArray(holder) && next < holder.length ? next : undefined;
}

function memberAt(holder: JsonValue[] | JsonObject, key: string | number): JsonValue {
  if (Array.isArray(holder)) return holder[Number(key)] ?? null;
  return isJsonObject(holder) && Object.hasOwn(holder, key) ? (holder[key] ?? null) : null;
}
