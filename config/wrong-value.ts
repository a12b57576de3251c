import type { ConfigProblem } from './config-error.js';
import { type ConfigNode, describeNode } from './config-node.js';
import type { SchemaFault } from './settings-validator.js';
import { closest } from './suggest.js';
import { faultOfFormat, VALUE_FORMATS } from './value-formats.js';

type Wording = Pick<ConfigProblem, 'message' | 'suggestion'>;
type Schema = Readonly<Record<string, unknown>>;

const WORDINGS: ReadonlyMap<string, (schema: Schema, node: ConfigNode) => Wording> = new Map([
  ['type', wordType],
  ['enum', wordEnum],
  ['format', wordFormat],
  ['formatMinimum', wordRange],
  ['formatMaximum', wordRange],
  ['minimum', wordRange],
  ['maximum', wordRange],
  ['minLength', (_, node) => expected('a text that is not empty', node)],
  ['minItems', () => ({ message: 'expected a list with something in it, found an empty one' })],
  ['minProperties', (schema) => ({ message: `expected at least one of ${keysOf(schema)}, found none` })],
  ['pattern', (_, node) => expected('letters, digits and _', node)],
]);

/** What was expected of a value and what was found instead. */
export function wordWrongValue(fault: SchemaFault, node: ConfigNode): Wording {
  const word = WORDINGS.get(fault.keyword);
  if (word === undefined) return { message: `${fault.message}, found ${describeNode(node)}` };
  return word(fault.parentSchema ?? {}, node);
}

function wordType(schema: Schema, node: ConfigNode): Wording {
  const wording = expected(nameOf(schema), node);
  if (node.kind !== 'scalar' || node.value === null) return wording;
  const type = mainType(schema);
  if (schema['format'] !== undefined) return wordFormat(schema, node);
  if (type === 'string' && schema['enum'] === undefined) return { message: `${wording.message}; write it in quotes` };
  if (type === 'integer' && typeof node.value === 'string' && /^-?\d{1,15}$/.test(node.value)) {
    return { message: `${wording.message}; write it without quotes` };
  }
  return wording;
}

function wordEnum(schema: Schema, node: ConfigNode): Wording {
  const values = valuesOf(schema);
  const found = node.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
  return { ...expected(nameOf(schema), node), ...suggested(found === undefined ? undefined : closest(found, values)) };
}

function wordFormat(schema: Schema, node: ConfigNode): Wording {
  const text = node.kind === 'scalar' ? node.text : '';
  const fault = faultOfFormat(String(schema['format']), text);
  const wording = expected(nameOf(schema), node);
  return fault === undefined
    ? wording
    : { message: `${wording.message}: ${fault.message}`, ...suggested(fault.suggestion) };
}

function wordRange(schema: Schema, node: ConfigNode): Wording {
  const least = schema['minimum'] ?? schema['formatMinimum'];
  const most = schema['maximum'] ?? schema['formatMaximum'];
  const name = mainType(schema) === 'integer' ? 'an integer' : nameOf(schema).replace(/ such as .*/, '');
  if (least !== undefined && most !== undefined) return expected(`${name} from ${least} to ${most}`, node);
  return expected(most === undefined ? `${name} of at least ${least}` : `${name} of at most ${most}`, node);
}

/** What a schema takes, with its article. */
function nameOf(schema: Schema): string {
  const values = valuesOf(schema);
  if (values.length > 0) return `one of ${values.join(', ')}`;
  const format = VALUE_FORMATS.get(String(schema['format']));
  if (format !== undefined) return format.expected;
  const type = mainType(schema);
  return (
    { object: 'a map', array: 'a list', integer: 'an integer', string: 'a string', boolean: 'true or false' }[type] ??
    type
  );
}

function mainType(schema: Schema): string {
  const { type } = schema;
  return String(Array.isArray(type) ? type[0] : type);
}

function valuesOf(schema: Schema): string[] {
  return Array.isArray(schema['enum']) ? schema['enum'].map(String) : [];
}

function keysOf(schema: Schema): string {
  const properties = schema['properties'];
  return typeof properties === 'object' && properties !== null ? Object.keys(properties).join(', ') : 'its keys';
}

function expected(what: string, node: ConfigNode): Wording {
  return { message: `expected ${what}, found ${describeNode(node)}` };
}

function suggested(suggestion: string | undefined): Pick<Wording, 'suggestion'> {
  return suggestion === undefined ? {} : { suggestion };
}
