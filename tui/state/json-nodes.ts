import { isJsonObject, type JsonObject, type JsonValue } from '../../core/event/json.js';

/** One value of a JSON document, and where it hangs. Its number is its place in the order of the text. */
export interface TreeNode {
  /** -1 for the members of the document itself. */
  readonly parent: number;
  readonly depth: number;
  /** Name in an object, place in a list. */
  readonly key: string | number;
  readonly value: JsonValue;
  /** Number of the first node that is not inside it. */
  end: number;
  /** Members; of what is neither object nor list, 0. */
  readonly members: number;
}

/** Values of a document that a tree holds. */
export const MAX_NODES = 500_000;

/** A container whose members are being read. */
interface OpenNode {
  readonly place: number;
  readonly keys: readonly string[] | undefined;
  readonly holder: JsonValue[] | JsonObject;
  next: number;
}

/** The values of a document in the order of its text, keys in alphabetical order. Works without recursion, whatever the nesting. `isCut`: there are more. */
export function readNodes(root: JsonObject): { nodes: TreeNode[]; isCut: boolean } {
  const nodes: TreeNode[] = [];
  const open: OpenNode[] = [opened(-1, root)];
  let isCut = false;
  for (let inner = open.at(-1); inner !== undefined; inner = open.at(-1)) {
    const key = keyAt(inner);
    if (key === undefined || nodes.length >= MAX_NODES) {
      open.pop();
      isCut ||= key !== undefined;
      const node = nodes[inner.place];
      if (node !== undefined) node.end = nodes.length;
      continue;
    }
    inner.next += 1;
    const value = memberAt(inner.holder, key);
    const isHolder = typeof value === 'object' && value !== null;
    const place = nodes.length;
    const members = isHolder ? (Array.isArray(value) ? value.length : Object.keys(value).length) : 0;
    nodes.push({ parent: inner.place, depth: open.length - 1, key, value, end: place + 1, members });
    if (isHolder && members > 0) open.push(opened(place, value));
  }
  return { nodes, isCut };
}

function opened(place: number, holder: JsonValue[] | JsonObject): OpenNode {
  return { place, holder, keys: Array.isArray(holder) ? undefined : Object.keys(holder).sort(), next: 0 };
}

function keyAt({ keys, holder, next }: OpenNode): string | number | undefined {
  if (keys !== undefined) return keys[next];
  return Array.isArray(holder) && next < holder.length ? next : undefined;
}

function memberAt(holder: JsonValue[] | JsonObject, key: string | number): JsonValue {
  if (Array.isArray(holder)) return holder[Number(key)] ?? null;
  return isJsonObject(holder) && Object.hasOwn(holder, key) ? (holder[key] ?? null) : null;
}
