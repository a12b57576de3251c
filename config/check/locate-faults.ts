import type { ConfigProblem } from '../config-error.js';
import { type ConfigNode, dottedKey, type KeyPath, nodeAt } from '../yaml/config-node.js';

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
  return faults.map(({ path, message, suggestion, isAtKey = false }) => {
    const { node, keyAt } = nodeAt(root, path);
    return { ...((isAtKey && keyAt) || node.at), key: dottedKey(path), message, suggestion };
  });
}
