import type { ConfigProblem } from '../config-error.js';
import { type ComponentId, parseComponentId } from '../values/component-id.js';
import { quoted } from '../values/printable.js';
import { closest } from '../values/suggest.js';
import { ValueError } from '../values/value-error.js';
import { dottedKey, type KeyPath } from '../yaml/key-path.js';
import type { SchemaNode } from './config-schema.js';
import type { SchemaFault } from './settings-validator.js';

type Wording = Pick<ConfigProblem, 'message' | 'suggestion'>;

/** Sections whose keys are component ids, with their singular. */
const COMPONENT_SECTIONS: ReadonlyMap<string, string> = new Map([
  ['receivers', 'receiver'],
  ['processors', 'processor'],
  ['exporters', 'exporter'],
  ['extensions', 'extension'],
]);

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

/** Message for a key that the schema does not have. */
export function describeUnknownKey(path: KeyPath, key: string, fault: SchemaFault): Wording {
  const section = dottedKey(path);
  const properties: SchemaNode['properties'] = fault.parentSchema?.['properties'];
  const patternProperties: SchemaNode['patternProperties'] = fault.parentSchema?.['patternProperties'];
  const kind = COMPONENT_SECTIONS.get(section);
  if (kind === undefined && section !== 'service.pipelines')
    return describeKey(section, key, Object.keys(properties ?? {}), Object.keys(patternProperties ?? {}));
  const id = componentIdOf(key);
  if (id instanceof ValueError) return { message: id.message };
  const types = typesIn(Object.keys(patternProperties ?? {}));
  const values = `(valid values: [${types.join(' ')}])`;
  const known = COUNTERPARTS.get(`${section} ${id.type}`) ?? closest(id.type, types);
  const suggestion = known === undefined ? undefined : key.replace(id.type, known);
  if (kind === undefined) return wording(`unknown pipeline signal: ${quoted(id.type)} ${values}`, suggestion);
  const reason = UNNEEDED.get(`${section} ${id.type}`);
  const note = reason === undefined ? '' : `; remove it: ${reason}`;
  return wording(`unknown type: ${quoted(id.type)} for id: ${quoted(key)} ${values}${note}`, suggestion);
}

function describeKey(section: string, key: string, keys: readonly string[], patterns: readonly string[]): Wording {
  const where = section === '' ? 'the configuration' : section;
  // The operator chooses the keys of such a map.
  if (keys.length === 0)
    return { message: `invalid key ${quoted(key)} in ${where}; expected one that matches ${patterns}` };
  return wording(`unknown key ${quoted(key)} in ${where}; expected one of ${keys.join(', ')}`, closest(key, keys));
}

function componentIdOf(key: string): ComponentId | ValueError {
  try {
    return parseComponentId(key);
  } catch (error) {
    if (error instanceof ValueError) return error;
    throw error;
  }
}

/** The component types of a section: every pattern of schema.json begins with one. */
function typesIn(patterns: readonly string[]): string[] {
  return patterns.flatMap((pattern) => /^\^(\w+)/.exec(pattern)?.[1] ?? []);
}

function wording(message: string, suggestion: string | undefined): Wording {
  return suggestion === undefined ? { message } : { message, suggestion };
}
