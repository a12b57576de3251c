import type { ConfigProblem } from '../config-error.js';
import { tryParseComponentId } from '../values/component-id.js';
import { quoted } from '../values/printable.js';
import { closest } from '../values/suggest.js';
import { ValueError } from '../values/value-error.js';
import { type ConfigNode, dottedKey, entryOf, type KeyPath, nodeAt } from '../yaml/config-node.js';
import { COMPONENT_SECTIONS, type SchemaNode } from './config-schema.js';
import { parsePointer, type SchemaFault } from './settings-validator.js';
import { describeWrongValue } from './wrong-value.js';

type Message = Pick<ConfigProblem, 'message' | 'suggestion'>;

/** Components of the OpenTelemetry Collector by section, with their name here if it is not similar. */
const COUNTERPARTS: ReadonlyMap<string, string> = new Map([
  ['exporters file', 'store'],
  ['exporters logging', 'debug'],
  ['service.pipelines logs', 'events'],
  ['service.pipelines traces', 'events'],
]);

/** Components of the OpenTelemetry Collector that are not needed here. */
const UNNEEDED: ReadonlyMap<string, string> = new Map([
  ['processors batch', 'the store batches writes itself'],
  ['extensions file_storage', 'exporters read their queue from the store'],
]);

/** Their faults repeat those of their branches. */
const COMBINATORS = new Set(['anyOf', 'oneOf', 'if']);

/** Schema faults as problems with position and message; values that were already reported are skipped, and with `anyType` components of unknown types. */
export function schemaProblems(faults: readonly SchemaFault[], root: ConfigNode, anyType = false): ConfigProblem[] {
  const choices = new Set(faults.flatMap(({ keyword, instancePath }) => (keyword === 'enum' ? [instancePath] : [])));
  return faults.flatMap((fault) => {
    // A value of the wrong type also fails its enum.
    const isRepeated = fault.keyword === 'type' && choices.has(fault.instancePath);
    if (isRepeated || COMBINATORS.has(fault.keyword)) return [];
    const { node, path } = nodeAt(root, parsePointer(fault.instancePath));
    if (node.reported) return [];
    if (fault.keyword === 'required') {
      const missing = String(fault.params['missingProperty']);
      return [{ ...node.at, key: dottedKey([...path, missing]), message: 'is required' }];
    }
    if (fault.keyword !== 'additionalProperties')
      return [{ ...node.at, key: dottedKey(path), ...describeWrongValue(fault, node) }];
    if (anyType && COMPONENT_SECTIONS.some((section) => fault.instancePath === `/${section}`)) return [];
    const key = String(fault.params['additionalProperty']);
    const at = entryOf(node, key)?.keyAt ?? node.at;
    return [{ ...at, key: dottedKey([...path, key]), ...describeUnknownKey(path, key, fault) }];
  });
}

function describeUnknownKey(path: KeyPath, key: string, fault: SchemaFault): Message {
  const section = dottedKey(path);
  const properties: SchemaNode['properties'] = fault.parentSchema?.['properties'];
  const patternProperties: SchemaNode['patternProperties'] = fault.parentSchema?.['patternProperties'];
  const isComponent = COMPONENT_SECTIONS.some((componentSection) => componentSection === section);
  if (!isComponent && section !== 'service.pipelines')
    return describeKey(section, key, Object.keys(properties ?? {}), Object.keys(patternProperties ?? {}));
  const id = tryParseComponentId(key);
  if (id instanceof ValueError) return { message: id.message };
  const types = Object.keys(patternProperties ?? {}).flatMap((pattern) => /^\^(\w+)/.exec(pattern)?.[1] ?? []);
  const values = `(valid values: [${types.join(' ')}])`;
  const meantType = COUNTERPARTS.get(`${section} ${id.type}`) ?? closest(id.type, types);
  const suggestion = meantType === undefined ? undefined : key.replace(id.type, meantType);
  if (!isComponent) return { message: `unknown pipeline signal: ${quoted(id.type)} ${values}`, suggestion };
  const reason = UNNEEDED.get(`${section} ${id.type}`);
  const advice = reason === undefined ? '' : `; remove it: ${reason}`;
  return { message: `unknown type: ${quoted(id.type)} for id: ${quoted(key)} ${values}${advice}`, suggestion };
}

function describeKey(section: string, key: string, keys: readonly string[], patterns: readonly string[]): Message {
  const where = section === '' ? 'the configuration' : section;
  // The operator chooses the keys of such a map.
  if (keys.length === 0)
    return { message: `invalid key ${quoted(key)} in ${where}; expected one that matches ${patterns}` };
  const message = `unknown key ${quoted(key)} in ${where}; expected one of ${keys.join(', ')}`;
  return { message, suggestion: closest(key, keys) };
}
