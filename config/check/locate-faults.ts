import type { ConfigProblem } from '../config-error.js';
import { type ConfigNode, dottedKey, entryOf, type KeyPath, type SourcePosition } from '../yaml/config-node.js';

/** A fault in loaded settings. */
export interface SettingsFault {
  /** Path of the value; for a default, the position of the nearest written value above it is used. */
  readonly path: KeyPath;
  /** One sentence: what was expected and what was found. */
  readonly message: string;
  /** The value that was probably meant; absent if none is similar. */
  readonly suggestion?: string | undefined;
  /** Whether to report the position of the key instead of the value. Default false. */
  readonly isAtKey?: boolean;
  /** Whether it is a warning. Default false. */
  readonly isWarning?: boolean;
}

/** Adds the positions of the values to faults. */
export function locateFaults(faults: readonly SettingsFault[], root: ConfigNode): ConfigProblem[] {
  return faults.map(({ path, message, suggestion, isAtKey = false }) => ({
    ...positionOf(path, root, isAtKey),
    key: dottedKey(path),
    message,
    suggestion,
  }));
}

function positionOf(path: KeyPath, root: ConfigNode, isAtKey: boolean): SourcePosition {
  let node = root;
  let keyAt: SourcePosition | undefined;
  for (const key of path) {
    const entry = entryOf(node, String(key));
    const next = node.kind === 'list' ? node.items[Number(key)] : entry?.value;
    if (next === undefined) break;
    node = next;
    keyAt = entry?.keyAt;
  }
  return isAtKey ? (keyAt ?? node.at) : node.at;
}
