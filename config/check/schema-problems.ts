import type { ConfigProblem } from '../config-error.js';
import { type ConfigNode, entryOf } from '../yaml/config-node.js';
import { dottedKey } from '../yaml/key-path.js';
import { parsePointer, type SchemaFault } from './settings-validator.js';
import { describeUnknownKey } from './unknown-key.js';
import { describeWrongValue } from './wrong-value.js';

/** Their faults repeat those of their branches. */
const COMBINATORS = new Set(['anyOf', 'oneOf', 'if']);

/** Schema faults as problems with position and message; values that were already reported are skipped. */
export function schemaProblems(faults: readonly SchemaFault[], root: ConfigNode): ConfigProblem[] {
  const choices = new Set(faults.flatMap(({ keyword, instancePath }) => (keyword === 'enum' ? [instancePath] : [])));
  return faults.flatMap((fault) => {
    // A value of the wrong type also fails its enum.
    const isRepeated = fault.keyword === 'type' && choices.has(fault.instancePath);
    if (isRepeated || COMBINATORS.has(fault.keyword)) return [];
    const { node, path } = nodeAt(root, fault.instancePath);
    if (node.reported) return [];
    if (fault.keyword === 'required') {
      const missing = String(fault.params['missingProperty']);
      return [{ ...node.at, key: dottedKey([...path, missing]), message: 'is required' }];
    }
    if (fault.keyword !== 'additionalProperties')
      return [{ ...node.at, key: dottedKey(path), ...describeWrongValue(fault, node) }];
    const key = String(fault.params['additionalProperty']);
    const at = entryOf(node, key)?.keyAt ?? node.at;
    return [{ ...at, key: dottedKey([...path, key]), ...describeUnknownKey(path, key, fault) }];
  });
}

/** The node at a JSON pointer. */
function nodeAt(root: ConfigNode, pointer: string): { node: ConfigNode; path: (string | number)[] } {
  const path: (string | number)[] = [];
  let node = root;
  for (const key of parsePointer(pointer)) {
    const next = node.kind === 'list' ? node.items[Number(key)] : entryOf(node, key)?.value;
    // A value that is not in the tree is a default.
    if (next === undefined) break;
    path.push(node.kind === 'list' ? Number(key) : key);
    node = next;
  }
  return { node, path };
}
