import type { ConfigProblem } from '../config-error.js';
import { type ComponentId, parseComponentId } from '../values/component-id.js';
import { quoted } from '../values/printable.js';
import { closest } from '../values/suggest.js';
import { ValueError } from '../values/value-error.js';
import { dottedKey, type KeyPath } from '../yaml/key-path.js';
import type { SchemaNode } from './config-schema.js';
import type { SchemaFault } from './settings-validator.js';

type Wording = Pick<ConfigProblem, 'message' | 'suggestion'>;

/** Sections whose keys are component ids, by dotted key, and what one of their components is called. */
const COMPONENT_SECTIONS: ReadonlyMap<string, string> = new Map([
  ['receivers', 'receiver'],
  ['processors', 'processor'],
  ['exporters', 'exporter'],
  ['extensions', 'extension'],
]);

/** Components of the OpenTelemetry Collector by section, and what they are called here, where letters do not tell. */
const COUNTERPARTS: ReadonlyMap<string, string> = new Map([
  ['exporters file', 'store'],
  ['exporters logging', 'debug'],
  ['service.pipelines logs', 'events'],
  ['service.pipelines traces', 'events'],
]);
/** Those that nothing here is called after, because what they are for is done anyhow. */
const NEEDLESS: ReadonlyMap<string, string> = new Map([
  ['processors batch', 'a store writes what comes together in one batch'],
  ['extensions file_storage', 'exporters send from what the store keeps'],
]);

/** What is wrong with a key that its section does not know. */
export function describeUnknownKey(path: KeyPath, key: string, fault: SchemaFault): Wording {
  const section = dottedKey(path);
  const properties: SchemaNode['properties'] = fault.parentSchema?.['properties'];
  const patternProperties: SchemaNode['patternProperties'] = fault.parentSchema?.['patternProperties'];
  const kind = COMPONENT_SECTIONS.get(section);
  if (kind === undefined && section !== 'service.pipelines')
    return describeKey(section, key, Object.keys(properties ?? {}));
  const id = componentIdOf(key);
  if (id instanceof ValueError) return { message: id.message };
  const types = typesIn(Object.keys(patternProperties ?? {}));
  const values = `(valid values: [${types.join(' ')}])`;
  const meant = counterpartOf(section, id.type) ?? closest(id.type, types);
  const suggestion = meant === undefined ? undefined : key.replace(id.type, meant);
  if (kind === undefined) return worded(`unknown pipeline signal: ${quoted(id.type)} ${values}`, suggestion);
  const none = types.length === 0 ? `; this version has no ${kind}` : '';
  const note = needlessNote(section, id.type);
  return worded(`unknown type: ${quoted(id.type)} for id: ${quoted(key)} ${values}${none}${note}`, suggestion);
}

function describeKey(section: string, key: string, keys: readonly string[]): Wording {
  const where = section === '' ? 'the configuration' : section;
  // Its keys are names that an operator gives; the description of such a map says of what form.
  if (keys.length === 0) return { message: `${quoted(key)} is not a key that ${where} may have` };
  return worded(`unknown key ${quoted(key)} in ${where}; expected one of ${keys.join(', ')}`, closest(key, keys));
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

function worded(message: string, suggestion: string | undefined): Wording {
  return suggestion === undefined ? { message } : { message, suggestion };
}

/** The type here of what a type of the Collector is for; undefined where there is none, or its name is close enough. */
function counterpartOf(section: string, type: string): string | undefined {
  return COUNTERPARTS.get(`${section} ${type}`);
}

/** Why a type of the Collector can be left out, as the end of a sentence; empty for all others. */
function needlessNote(section: string, type: string): string {
  const reason = NEEDLESS.get(`${section} ${type}`);
  return reason === undefined ? '' : `; leave it out: ${reason}`;
}
