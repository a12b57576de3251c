import type { ConfigProblem } from '../config-error.js';
import { type ConfigNode, entryOf, type SourcePosition } from '../yaml/config-node.js';
import { dottedKey, type KeyPath } from '../yaml/key-path.js';

/** Something that is wrong with a value of loaded settings. */
export interface FoundFault {
  /** To the value; where it is a default, the nearest value above it that was written is named. */
  readonly path: KeyPath;
  /** One sentence: what was expected and what was found. */
  readonly message: string;
  /** What was probably meant; absent when nothing is close. */
  readonly suggestion?: string;
  /** True when the key itself is wrong, and is to be pointed at. Default: its value is. */
  readonly isOfKey?: boolean;
  /** True when it is doubtful and no error. Default false. */
  readonly isDoubt?: boolean;
}

/** Faults with the places where their values were written. */
export function placeFaults(faults: readonly FoundFault[], root: ConfigNode): ConfigProblem[] {
  return faults.map(({ path, message, suggestion, isOfKey = false }) => ({
    ...positionOf(path, root, isOfKey),
    key: dottedKey(path),
    message,
    ...(suggestion === undefined ? {} : { suggestion }),
  }));
}

function positionOf(path: KeyPath, root: ConfigNode, isOfKey: boolean): SourcePosition {
  let node = root;
  let keyAt: SourcePosition | undefined;
  for (const part of path) {
    const entry = entryOf(node, String(part));
    const next = node.kind === 'list' ? node.items[Number(part)] : entry?.value;
    if (next === undefined) break;
    node = next;
    keyAt = entry?.keyAt;
  }
  return isOfKey ? (keyAt ?? node.at) : node.at;
}
