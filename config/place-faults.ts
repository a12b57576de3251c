import type { ConfigProblem } from './config-error.js';
import { type ConfigNode, entryOf } from './config-node.js';
import { dottedKey, type KeyPath } from './key-path.js';

/** Something that is wrong with a value of loaded settings. */
export interface FoundFault {
  /** To the value; where it is a default, the nearest value above it that was written is named. */
  readonly path: KeyPath;
  /** One sentence: what was expected and what was found. */
  readonly message: string;
}

/** Faults with the places where their values were written. */
export function placeFaults(faults: readonly FoundFault[], root: ConfigNode): ConfigProblem[] {
  return faults.map(({ path, message }) => ({ ...placeOf(path, root), key: dottedKey(path), message }));
}

function placeOf(path: KeyPath, root: ConfigNode): ConfigNode['at'] {
  let node = root;
  for (const part of path) {
    const next = node.kind === 'list' ? node.items[Number(part)] : entryOf(node, String(part))?.value;
    if (next === undefined) break;
    node = next;
  }
  return node.at;
}
