import type { ConfigProblem } from '../config-error.js';
import { tryParseComponentId } from '../values/component-id.js';
import { quoted } from '../values/printable.js';
import { closest } from '../values/suggest.js';
import { ValueError } from '../values/value-error.js';
import { type ConfigNode, dottedKey, type KeyPath, type ListNode } from '../yaml/config-node.js';

/** Checks a list of component ids against the ids of its section, with the sentences of the OpenTelemetry Collector. */
export function checkReferences(
  kind: string,
  list: ListNode,
  path: KeyPath,
  configured: ReadonlySet<string>,
): ConfigProblem[] {
  // The Collector names the pipeline for its lists, but the list itself for extensions.
  const owner = (kind === 'extension' ? path : path.slice(0, -1)).join('::');
  const seen = new Set<string>();
  return list.items.flatMap((item, index) => {
    const id = referenceOf(item);
    if (id === undefined) return [];
    const fault = seen.has(id)
      ? { message: `references ${kind} ${quoted(id)} multiple times` }
      : faultOf(kind, id, configured);
    seen.add(id);
    if (fault === undefined) return [];
    return [{ ...item.at, key: dottedKey([...path, index]), ...fault, message: `${owner}: ${fault.message}` }];
  });
}

/** The component ids in a list; other values are skipped. */
export function referencesIn(list: ConfigNode | undefined): string[] {
  return list?.kind === 'list' ? list.items.flatMap((item) => referenceOf(item) ?? []) : [];
}

function faultOf(
  kind: string,
  id: string,
  configured: ReadonlySet<string>,
): Pick<ConfigProblem, 'message' | 'suggestion'> | undefined {
  if (configured.has(id)) return undefined;
  const parsed = tryParseComponentId(id);
  if (parsed instanceof ValueError) return { message: parsed.message };
  const message = `references ${kind} ${quoted(id)} which is not configured`;
  return { message, suggestion: closest(id, [...configured]) };
}

/** The component id in an item of a list; undefined if it is not a string. */
export function referenceOf(node: ConfigNode): string | undefined {
  return node.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
}
